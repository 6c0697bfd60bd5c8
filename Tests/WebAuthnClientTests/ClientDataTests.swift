import JSONText
import Octets
import Testing

@testable import WebAuthnClient

struct ClientDataTests {
  /// A W3C vector: its own JSON tells the optional members, everything else is given by the vector file.
  private func check(_ vector: JSONValue, _ ceremony: ClientData.Ceremony, _ file: JSONValue) throws {
    let expected = try vector.hex("clientDataJSON")
    let members = try #require(JSONDocument(parsing: expected).root.members)
    var data = ClientData(
      ceremony: ceremony, challenge: try vector.hex("challenge"), origin: try #require(file["origin"]?.stringValue))
    for (name, value) in members {
      switch name {
      case "crossOrigin": data.crossOrigin = value.boolValue == true
      case "topOrigin": data.topOrigin = file["topOrigin"]?.stringValue
      case "extraData":
        let random = Base64URL.encode(try vector.hex("extraData_random"))
        data.remainder =
          "\"extraData\":\"clientDataJSON may be extended with additional fields in the future, such as this: \(random)\"}"
      default: break
      }
    }
    #expect(data.json == expected)
  }

  @Test("all 30 client data of the W3C vectors are reproduced byte for byte")
  func vectorsOfW3C() throws {
    let file = try vectors("webauthn-l3")
    var count = 0
    for vector in try #require(file["vectors"]?.elements) {
      try check(try #require(vector["registration"]), .create, file)
      try check(try #require(vector["authentication"]), .get, file)
      count += 2
    }
    #expect(count == 30)
  }

  @Test(
    "a string is escaped as CCDToString has it",
    arguments: [
      ("plain /text", "\"plain /text\""), ("\"\\", "\"\\\"\\\\\""),
      ("\u{0}\u{8}\n\u{1f}", "\"\\u0000\\u0008\\u000a\\u001f\""),
      ("\u{7f}\u{80}\u{2028}\u{ffff}😀", "\"\u{7f}\u{80}\u{2028}\u{ffff}😀\""), ("", "\"\""),
    ])
  func strings(_ text: String, _ expected: String) {
    #expect(ClientData.quoted(text) == expected)
  }

  @Test("a registration of this client is never cross-origin")
  func plain() {
    let data = ClientData(ceremony: .create, challenge: [0, 1, 0xff], origin: "https://example.org")
    #expect(
      String(decoding: data.json, as: UTF8.self)
        == #"{"type":"webauthn.create","challenge":"AAH_","origin":"https://example.org","crossOrigin":false}"#)
  }
}
