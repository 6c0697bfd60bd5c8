import CBOR
import CTAPMessages
import Testing

@Suite("Errors about messages")
struct MessageErrorTests {
  private func error(_ value: CBORValue) -> MessageError? {
    do {
      _ = try MakeCredentialRequest(cbor: value)
      return nil
    } catch {
      return error
    }
  }

  private let valid: CBORMap = [
    1: .bytes([1]), 2: ["id": "x"], 3: ["id": .bytes([2])], 4: [["alg": -7, "type": "public-key"]],
  ]

  @Test("a member deep inside is named by its path and by the number that it is in")
  func path() {
    var map = valid
    map[4] = [["alg": -7, "type": "public-key"], ["alg": "x", "type": "public-key"]]
    #expect(
      error(.map(map))?.description
        == "makeCredential request, pubKeyCredParams[1].alg (0x04): expected integer, found text string")
    map = valid
    map[5] = [["id": .bytes([1]), "type": "public-key", "transports": ["usb", 3]]]
    #expect(
      error(.map(map))?.description
        == "makeCredential request, excludeList[0].transports[1] (0x05): expected text string, found unsigned integer")
    map = valid
    map[3] = [:]
    #expect(error(.map(map))?.description == "makeCredential request, user.id (0x03): missing")
    map = valid
    map[4] = [["type": "public-key"], 5]
    #expect(error(.map(map))?.member == "pubKeyCredParams[0].alg")
    map[4] = [5]
    #expect(error(.map(map))?.member == "pubKeyCredParams[0]")
    map[4] = 5
    #expect(error(.map(map))?.problem == .wrongType(expected: "array", found: "unsigned integer"))
  }

  @Test("authenticator data inside a response keeps its own place")
  func nestedAuthenticatorData() throws {
    let error = try #require(throws: MessageError.self) {
      try MakeCredentialResponse(cbor: [1: "none", 2: .bytes([1, 2, 3]), 3: [:]])
    }
    #expect(error.description == "makeCredential response, authData.rpIdHash (0x02): expected 32 bytes, found 3")
    #expect(error.status == .invalidLength)
  }

  @Test("each problem has its words")
  func words() {
    func text(_ problem: MessageError.Problem) -> String { MessageError(message: "m", problem: problem).description }
    #expect(text(.missing) == "m: missing")
    #expect(text(.empty) == "m: no bytes at all")
    #expect(text(.trailingBytes(3)) == "m: 3 bytes follow the end")
    #expect(text(.truncated(needed: 4, remaining: 1)) == "m: expected 4 bytes, found 1")
    #expect(text(.wrongValue(expected: "a", found: "b")) == "m: expected a, found b")
    #expect(text(.notCBOR(.truncated(offset: 2))).hasPrefix("m: not valid CBOR ("))
    #expect(
      MessageError(message: "m", member: "x", number: -3, problem: .missing).description == "m, x (-0x03): missing")
    #expect(
      MessageError(message: "m", member: "x", number: 0x1f, problem: .missing).description == "m, x (0x1f): missing")
  }

  @Test("every type of CBOR is called by its name")
  func kinds() throws {
    let kinds: [(CBORValue, String)] = [
      (1, "unsigned integer"), (-1, "negative integer"), (.bytes([]), "byte string"), ("", "text string"),
      ([], "array"), (.tagged(1, 1), "tagged item"), (true, "boolean"), (.null, "null"), (.undefined, "undefined"),
      (.simple(5), "simple value"), (.float(0), "floating-point number"),
    ]
    for (value, kind) in kinds {
      let error = try #require(throws: MessageError.self) { try RequestOptions(cbor: value) }
      #expect(error.problem == .wrongType(expected: "map", found: kind))
    }
    #expect(error(.map([1: [:]]))?.problem == .wrongType(expected: "byte string", found: "map"))
  }
}
