import JSONText
import Testing

@Suite("Values of a text")
struct JSONValueTests {
  @Test(
    "each kind answers its own accessor and no other",
    arguments: [
      ("null", .null), ("true", .bool), ("false", .bool), ("1", .number), ("\"1\"", .string), ("[1]", .array),
      ("{\"a\":1}", .object),
    ] as [(String, JSONValue.Kind)])
  func kinds(_ text: String, _ kind: JSONValue.Kind) throws {
    let value = try JSONValue.parse(text)
    #expect(value.kind == kind)
    #expect(value.isNull == (kind == .null))
    #expect(value.boolValue == (kind == .bool ? text == "true" : nil))
    #expect(value.integerValue == (kind == .number ? 1 : nil))
    #expect(value.doubleValue == (kind == .number ? 1 : nil))
    #expect(value.numberText == (kind == .number ? "1" : nil))
    #expect(value.stringValue == (kind == .string ? "1" : nil))
    #expect(value.elements?.count == (kind == .array ? 1 : nil))
    #expect(value.members?.count == (kind == .object ? 1 : nil))
    #expect((value["a"] != nil) == (kind == .object))
    #expect(value.duplicates(of: "a").count == (kind == .object ? 1 : 0))
  }

  @Test("a value keeps its bytes, white space inside it included, and none around it")
  func keepsSource() throws {
    let token = #"{"a":1.0,"a":2,"b":1e400,"c":"\ud800","n":10000000000000000000000}"#
    let spaced = "{ \"a\" :\t1.0 ,\r\n\"a\":2 , \"c\" : [ \"\\u0041\" , {} ] }"
    for text in [token, spaced, "\"\\u00e9\"", "-0.0E+0", "[ ]"] {
      let value = try #require(JSONValue.parse("{\"x\":[1, {\"token\" : \(text) }\n]}")["x"]?.elements?.last?["token"])
      #expect(value.source == Array(text.utf8))
      #expect(value.sourceRange.count == text.utf8.count)
    }
  }

  @Test(
    "escapes become characters",
    arguments: [
      (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"), (#"\u0041\u00e9\u20AC"#, "A\u{e9}\u{20ac}"),
      (#"\ud83d\udd11"#, "\u{1f511}"), (#"\uD800\uDC00\uDBFF\uDFFF"#, "\u{10000}\u{10ffff}"),
      (#"\u0000x"#, "\u{0}x"), (#"\\u0041"#, "\\u0041"), ("\u{e9}\\n\u{1f511}", "\u{e9}\n\u{1f511}"),
      (#"\ud7ff\ue000\uffff"#, "\u{d7ff}\u{e000}\u{ffff}"),
    ])
  func escapes(_ source: String, _ text: String) throws {
    let value = try #require(JSONValue.parse("\"\(source)\"").stringValue)
    #expect(value.unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(
    "a string with a lone surrogate has bytes but no characters",
    arguments: [
      #"\ud800"#, #"\udc00"#, #"a\udbffb"#, #"\ud800\u0041"#, #"\ud800\n"#, #"\ud800\ud800"#, #"\udc00\ud800"#,
      #"\ud800\\udc00"#, #"\ud83d\udd11\ud83d"#,
    ])
  func loneSurrogates(_ source: String) throws {
    let value = try JSONValue.parse("\"\(source)\"")
    #expect(value.stringValue == nil)
    #expect(value.source == Array("\"\(source)\"".utf8))
  }

  @Test("elements and members come in order, nested ones in their place")
  func order() throws {
    let value = try JSONValue.parse(#"{"b":[1,[2,3],{"c":4}],"a":{},"z":5}"#)
    #expect(value.members?.map(\.name) == ["b", "a", "z"])
    let elements = try #require(value["b"]?.elements)
    #expect(elements.map(\.kind) == [.number, .array, .object])
    #expect(elements[1].elements?.map(\.integerValue) == [2, 3])
    #expect(elements[2]["c"]?.integerValue == 4)
    #expect(value["z"]?.integerValue == 5)
    #expect(value["a"]?.members?.isEmpty == true)
    #expect(value["y"] == nil)
  }

  @Test("the last of duplicate members counts, and all can be listed")
  func duplicates() throws {
    let value = try JSONValue.parse(#"{"a":1,"b":2,"\u0061":[3],"a":4}"#)
    #expect(value["a"]?.integerValue == 4)
    #expect(value.duplicates(of: "a").map(\.source) == ["1", "[3]", "4"].map { Array($0.utf8) })
    #expect(value.duplicates(of: "b").count == 1)
    #expect(value.duplicates(of: "c").isEmpty)
    #expect(value.members?.map(\.name) == ["a", "b", "a", "a"])
  }

  @Test("names are compared by code points after escapes, never by canonical equivalence")
  func nameMatching() throws {
    let value = try JSONValue.parse(#"{"\u00e9":1,"e\u0301":2,"\ud800":3,"\ufffd":4,"":5,"x\n":6}"#)
    #expect(value["\u{e9}"]?.integerValue == 1)
    #expect(value["e\u{301}"]?.integerValue == 2)
    #expect(value["\u{fffd}"]?.integerValue == 4)
    #expect(value[""]?.integerValue == 5)
    #expect(value["x\n"]?.integerValue == 6)
    #expect(value["\\ud800"] == nil)
    #expect(value.members?[2].name == "\u{fffd}")
  }

  @Test("the path names the way to a value")
  func paths() throws {
    let root = try JSONValue.parse(
      #"""
      {"rp": {"name": "x", "id": "y"}, "pubKeyCredParams": [{"alg": [1]}, {}, {"type": {}, "alg": -7}],
       "a-b": {"$c_1": 0}, "a b": {"1": 0, "": 1, "q\"\n": 2}, "m": [[], [[0, [1, 2], 3]]]}
      """#)
    #expect(root.path == "")
    #expect(root["rp"]?["id"]?.path == "rp.id")
    #expect(root["pubKeyCredParams"]?.elements?[2]["alg"]?.path == "pubKeyCredParams[2].alg")
    #expect(root["a-b"]?["$c_1"]?.path == "a-b.$c_1")
    #expect(root["a b"]?["1"]?.path == #"["a b"]["1"]"#)
    #expect(root["a b"]?[""]?.path == #"["a b"][""]"#)
    #expect(root["a b"]?["q\"\n"]?.path == #"["a b"]["q\"\n"]"#)
    #expect(root["m"]?.elements?[1].elements?[0].elements?[2].path == "m[1][0][2]")
  }

  @Test("a path starts with a bracket where the root is an array, and long names are shortened")
  func unusualPaths() throws {
    #expect(try JSONValue.parse(#"[0,{"a":1}]"#).elements?[1]["a"]?.path == "[1].a")
    #expect(
      try JSONValue.parse("{\"\u{9b}\u{7f}\u{a0}\":1}").members?.first?.value.path == "[\"\\u009b\\u007f\u{a0}\"]")
    let name = String(repeating: "n", count: 100_000)
    let path = try #require(JSONValue.parse("{\"\(name)\":1}").members?.first).value.path
    #expect(path.count < 60)
    #expect(path.contains("nnnn\u{2026}"))
  }
}
