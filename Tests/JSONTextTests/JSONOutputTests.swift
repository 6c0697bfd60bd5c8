import JSONText
import Testing

@Suite("Writing")
struct JSONOutputTests {
  private func text(_ value: JSONOutput, pretty: Bool = false) -> String {
    String(decoding: value.serialized(pretty: pretty), as: UTF8.self)
  }

  @Test("compact text has no space, and members keep their order")
  func compact() {
    let value: JSONOutput = [
      "z": 1, "a": [true, false, .null, "x", -7, []], "o": ["k": .object([])], "min": .int(.min), "max": .int(.max),
    ]
    #expect(
      text(value) == #"{"z":1,"a":[true,false,null,"x",-7,[]],"o":{"k":{}},"#
        + #""min":-9223372036854775808,"max":9223372036854775807}"#)
  }

  @Test("pretty text is indented by two spaces a level")
  func pretty() {
    let value: JSONOutput = ["a": [1, ["b": "c"]], "e": [], "o": [:]]
    #expect(
      text(value, pretty: true) == """
        {
          "a": [
            1,
            {
              "b": "c"
            }
          ],
          "e": [],
          "o": {}
        }
        """)
  }

  @Test(
    "only quotation marks, backslashes and control characters are escaped",
    arguments: [
      ("\"\\/", #""\"\\/""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
      ("\u{0}\u{1}\u{b}\u{f}", #""\u0000\u0001\u000b\u000f""#),
      ("\u{10}\u{1f} ", #""\u0010\u001f ""#),
      ("\u{7f}\u{80}\u{2028}\u{e9}\u{1f511}", "\"\u{7f}\u{80}\u{2028}\u{e9}\u{1f511}\""),
      ("\u{fffd}\u{ffff}", "\"\u{fffd}\u{ffff}\""), ("", "\"\""), ("<a href='x'>", "\"<a href='x'>\""),
    ])
  func escapes(_ string: String, _ written: String) throws {
    #expect(text(.string(string)).unicodeScalars.elementsEqual(written.unicodeScalars))
    #expect(text(.object([(string, .int(1))])).unicodeScalars.elementsEqual("{\(written):1}".unicodeScalars))
    let read = try #require(JSONValue.parse(written).stringValue)
    #expect(read.unicodeScalars.elementsEqual(string.unicodeScalars))
  }

  @Test("every character below a space and every kind of longer character comes back", arguments: 0..<0x110)
  func everyCharacter(_ step: UInt32) throws {
    let code = step < 0x100 ? step : step << 12
    guard let scalar = Unicode.Scalar(code) else { return }
    let string = String(Character(scalar))
    let read = try #require(JSONDocument(parsing: JSONOutput.string(string).serialized(pretty: false)).root.stringValue)
    #expect(read.unicodeScalars.elementsEqual(string.unicodeScalars))
  }

  @Test("raw text is inserted byte for byte, pretty or not", arguments: [true, false])
  func raw(_ pretty: Bool) throws {
    let token = #"{"a":1.0,"a":2,"b":1e400,"c":"\ud800",   "n":10000000000000000000000}"#
    let written = JSONOutput.object([("t", .raw(Array(token.utf8))), ("b", true)]).serialized(pretty: pretty)
    let document = try JSONDocument(parsing: written)
    #expect(document.root["t"]?.source == Array(token.utf8))
    #expect(document.root["b"]?.boolValue == true)
  }
}
