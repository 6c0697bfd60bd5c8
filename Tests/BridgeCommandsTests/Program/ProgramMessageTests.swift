import BridgeTestSupport
import JSONText
import Octets
import Testing

@testable import BridgeCommands

@Suite("What a program says")
struct ProgramMessageTests {
  private static func parse(_ line: [UInt8]) -> Result<ProgramMessage, ProgramMessageError> {
    line.withUnsafeBytes { bytes in Result { () throws(ProgramMessageError) in try ProgramMessage(parsing: bytes) } }
  }

  private static func text(_ line: String) -> [UInt8]? {
    guard case .success(.answer(7, .text(let secret))) = parse(Array(line.utf8)) else { return nil }
    return secret.exposed()
  }

  @Test(
    "the text of an answer has its escapes resolved",
    arguments: [
      (#""""#, ""), (#""4821""#, "4821"), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9""#, "é"),
      (#""\uD83D\uDE00x""#, "😀x"), (#""é😀""#, "é😀"), (#""\u0000""#, "\u{0}"), (#""\u202E""#, "\u{202e}"),
    ])
  func texts(json: String, text: String) {
    #expect(Self.text(#"{"type":"answer","id":7,"value":\#(json)}"#) == Array(text.utf8))
    #expect(Self.text(" {\t\"value\" : \(json) ,\"id\":7, \"later\":null,\"type\":\"answer\" }\r") == Array(text.utf8))
    #expect(Self.text(#"{"type":"\u0061nswer","id":7,"value":\#(json)}"#) == Array(text.utf8))
  }

  @Test("the values of an answer, and a cancellation")
  func values() {
    func value(_ json: String) -> String {
      "\(Self.parse(Array(#"{"type":"answer","id":7,"value":\#(json)}"#.utf8)))"
    }
    for json in ["null", "true", "false", "0", "-1", "999999999999999"] {
      #expect(value(json).hasPrefix("success("), "\(json)")
    }
    #expect("\(Self.parse(Array(#"{"type":"cancel","why":"late"}"#.utf8)))".contains("cancel"))
  }

  /// Lines that are refused, and the number of the question where it can be told.
  static let refused: [(String, Int?)] = [
    ("x", nil), ("[]", nil), ("7", nil), ("{", nil), ("{}", nil), ("{}}", nil), (#"{"type":"answer"}"#, nil),
    (#"{"type":"answer","id":1,"value":1},"#, nil), (#"{"type":"answer","id":1}"#, 1), (#"{"type":"stop"}"#, nil),
    (#"{"type":null}"#, nil), (#"{"type":"answer","id":"1","value":1}"#, nil), (#"{"type":"cancel"} x"#, nil),
    (#"{"type":"answer","id":1.0,"value":1}"#, nil), (#"{"type":"answer","id":1,"value":1e3}"#, nil),
    (#"{"type":"answer","id":1,"value":[]}"#, nil), (#"{"type":"answer","id":1,"value":{"a":1}}"#, nil),
    (#"{"type":"answer","id":1,"value":01}"#, nil), (#"{"type":"answer","id":1,"value":+1}"#, nil),
    (#"{"type":"answer","id":1,"value":1000000000000000}"#, nil), (#"{"type":"answer","id":1,"value":-}"#, nil),
    (#"{"type":"answer","id":99999999999999999999,"value":1}"#, nil), (#"{"type":"answer","id":1,"value":nul}"#, nil),
    (#"{"type":"answer","id":1,"value":"x}"#, nil), (#"{"type":"answer","id":1,"value":"\x"}"#, nil),
    (#"{"type":"answer","id":1,"value":"\ud800"}"#, nil), (#"{"type":"answer","id":1,"value":"\ud800\u0041"}"#, nil),
    (#"{"type":"answer","id":1,"value":"\udc00"}"#, nil), (#"{"type":"answer","id":1,"value":"\u12"}"#, nil),
    ("{\"type\":\"answer\",\"id\":1,\"value\":\"a\u{1}\"}", nil),
    ("{\"type\":\"answer\",\"id\":1,\"value\":\"a\u{0}\"}", nil),
    ("\u{0}", nil), ("\u{feff}{\"type\":\"cancel\"}", nil), (#"{"type":"cancel",}"#, nil),
    (#"{"type":"cancel" "id":1}"#, nil),
    (#"{"type":"answer","id":1,"value":1,"value":2}"#, nil), (#"{"type":"cancel","type":"answer"}"#, nil),
    (#"{type:"cancel"}"#, nil), (#"{'type':'cancel'}"#, nil), (#"{"type":"Cancel"}"#, nil),
  ]

  @Test("a line that is no message is refused in words that do not quote it", arguments: refused)
  func refusals(line: String, id: Int?) {
    guard case .failure(let error) = Self.parse(Array(line.utf8)) else {
      Issue.record("taken: \(line)")
      return
    }
    #expect(error.id == id)
    #expect(error.reason.hasSuffix(".") && !error.reason.contains("stop"))
  }

  @Test(
    "bytes that are no UTF-8 are refused",
    arguments: [[0x80], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xff]] as [[UInt8]])
  func notUTF8(bytes: [UInt8]) {
    let line = Array(#"{"type":"answer","id":7,"value":""#.utf8) + bytes + Array(#""}"#.utf8)
    guard case .failure = Self.parse(line) else {
      Issue.record("taken: \(bytes)")
      return
    }
  }

  @Test(
    "what is taken is JSON, and cut or altered lines never crash: 4,000 altered lines against the other JSON reader")
  func altered() {
    var random = SplitMix64(seed: 4)
    let lines = [
      #"{"type":"answer","id":7,"value":"\uD83D\uDE00 é \" x"}"#, #"{"type":"answer","id":12,"value":-3,"more":false}"#,
      #" { "type" : "cancel" } "#,
    ].map { Array($0.utf8) }
    let spices = Array(#"{}[]":,\u0123456789abcdefDE-+.truefalsn "#.utf8) + [0, 0x80, 0xc3, 0xff, 0x0a]
    var taken = 0
    for round in 0..<4_000 {
      var line = lines[round % lines.count]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<line.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: line[place] = spices[Int.random(in: 0..<spices.count, using: &random)]
        case 1: line.insert(spices[Int.random(in: 0..<spices.count, using: &random)], at: place)
        default: if line.count > 1 { line.remove(at: place) }
        }
      }
      guard case .success(let message) = Self.parse(line) else { continue }
      taken += 1
      guard let root = try? JSONDocument(parsing: line).root else {
        Issue.record("taken, and no JSON: \(line)")
        return
      }
      if case .answer(_, .text(let secret)) = message {
        #expect(root["value"]?.stringValue.map { Array($0.utf8) } == secret.exposed())
      }
    }
    #expect(taken > 100, "the alterations leave enough that is taken")
  }
}
