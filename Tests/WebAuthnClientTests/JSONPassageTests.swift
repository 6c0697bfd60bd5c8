import CBOR
import JSONText
import Testing

@testable import WebAuthnClient

struct JSONPassageTests {
  private func json(_ value: CBORValue) -> String {
    String(decoding: JSONPassage.json(value).serialized(pretty: false), as: UTF8.self)
  }

  @Test(
    "what has no like in CBOR, or goes too deep, is refused with its path",
    arguments: [
      ("18446744073709551616", "is the number 18446744073709551616; expected an integer"),
      ("-18446744073709551617", "expected an integer"), ("1e400", "expected a number that 64 bits hold"),
      (#"{"a":["\ud800"]}"#, "a[0] is a string with a lone surrogate"), ("[[[]]]", "[0][0] is an array too deep"),
      (#"[{"a":{}}]"#, "[0].a is an object too deep"), (#"{"a":1,"b":2,"a":3}"#, "a is there twice"),
      (#"{"$base64url":1}"#, "$base64url is the number 1"), (#"{"$base64url":"A"}"#, "$base64url is the string"),
      (#"{"$map":{}}"#, "$map is an object; expected an array of pairs"),
      (#"{"$map":[[1]]}"#, "$map[0] is an array; expected an array of a key and a value"),
      (#"{"$map":[[1,2],[1,3]]}"#, "$map[1][0] is a key for the second time"),
      (#"{"$map":[[[],2]]}"#, "$map[0][0] is an array too deep"), (#"{"$map":[[1,[[]]]]}"#, "is an array too deep"),
    ])
  func refused(_ text: String, _ reason: String) throws {
    let error = #expect(throws: JSONPassage.Refusal.self) { try JSONPassage.cbor(try JSONValue.parse(text)) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test("an object is only special where its one member is")
  func special() throws {
    #expect(
      try JSONPassage.cbor(try JSONValue.parse(#"{"$base64url":"AA","x":1}"#)) == ["$base64url": "AA", "x": 1])
    #expect(try JSONPassage.cbor(try JSONValue.parse(#"{"$map":[],"x":1}"#)) == ["$map": [], "x": 1])
  }

  @Test(
    "every CBOR value has a JSON text",
    arguments: [
      (.tagged(1, 2), "2"), (.undefined, "null"), (.simple(99), "null"), (.float(.nan), "null"),
      (.float(.infinity), "null"), (.float(-0.0), "-0.0"), (.float(1e300), "1e+300"), (.bytes([]), #""""#),
      (.map([.bytes([1]): 1, 2: 2]), #"{"AQ":1,"2":2}"#), (.map([.bool(true): 1]), #"{"$map":[[true,1]]}"#),
      (.map([.array([1]): .map([.null: 2])]), #"{"$map":[[[1],{"$map":[[null,2]]}]]}"#),
      (.array([.map([:]), .text("\"")]), #"[{},"\""]"#),
    ] as [(CBORValue, String)])
  func back(_ value: CBORValue, _ text: String) throws {
    #expect(json(value) == text)
    _ = try JSONValue.parse(json(value))
  }
}
