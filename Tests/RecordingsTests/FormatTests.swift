import CTAPHID
import Testing

@testable import Recordings

@Suite("The text form of a recording")
struct FormatTests {
  static let header = RecordingHeader(
    program: "ctap-bridge 1.2.3", command: "register", arguments: ["--origin", "https://example.org"],
    isAttended: true, hasSecrets: false)

  static let key = KeyDescription(
    id: "/dev/hidraw0", vendorID: 0x1050, productID: 0x0407, vendor: "Maker", product: "Schlüssel \"1\"",
    serialNumber: "7", obstacle: .unsuitable("short"), isVirtual: true)

  static let kinds: [RecordedEvent.Kind] = [
    .file(what: "request", content: Array("{\"a\":\n1}".utf8)), .file(what: "odd", content: [0xff, 0, 0x80]),
    .secret(what: "PIN", content: nil), .secret(what: "PIN", content: [1, 2]), .origin("https://example.org"),
    .answer(question: "name", .text(Array("Desk".utf8))),
    .answer(question: "name", .text([0xc3])), .answer(question: "PIN", .secret(number: 2, content: nil)),
    .answer(question: "PIN", .secret(number: 0, content: [0x31])), .answer(question: "PIN", .nothing),
    .answer(question: "PIN", .cancelled), .keys([key]), .keys([]), .arrived(key),
    .removed("/dev/hidraw0"), .opened(key: "k", ReportSizes(input: 64, output: 32)),
    .notOpened(key: "k", .permissionDenied("/dev/hidraw0")), .draw(key: "k", bytes: [1, 2, 3], isPrivate: false),
    .draw(key: "k", bytes: [], isPrivate: true),
    .report(key: "k", .toKey, RecordedReport([1, 2, 3], hiding: [false, true])),
    .report(key: "k", .fromKey, RecordedReport([0xff, 0])), .failed(key: "k", .fromKey, .unplugged),
    .failed(key: "k", .toKey, .failed(operation: "write", code: 5, message: "no")),
    .failed(key: "k", .toKey, .cancelled),
    .failed(key: "k", .toKey, .busy("k")), .failed(key: "k", .toKey, .closed),
    .failed(key: "k", .toKey, .notFound("x")),
    .failed(key: "k", .toKey, .unsuitable("x")), .closed(key: "k"), .cancelled, .ended(status: 12),
  ]

  @Test("Every kind of event is written on a line of its own and read back", arguments: kinds)
  func roundTrip(_ kind: RecordedEvent.Kind) throws {
    let recording = Recording(header: Self.header, events: [RecordedEvent(milliseconds: 17, kind: kind)])
    #expect(recording.text.count { $0 == UInt8(ascii: "\n") } == 2)
    let read = try Recording(parsing: recording.text)
    #expect(read.header == Self.header)
    #expect(read.events == recording.events)
  }

  @Test("A redacted byte is two asterisks, and its value is gone")
  func redactedByte() {
    let report = RecordedReport([0x12, 0x34, 0x56], hiding: [false, true, false])
    #expect(report.text == "12**56")
    #expect(report.bytes == [0x12, 0, 0x56])
    #expect(report.matches([0x12, 0x99, 0x56]))
    #expect(!report.matches([0x12, 0x99, 0x57]))
    #expect(!report.matches([0x12, 0x99, 0x56, 0]))
  }

  static let head = """
    {"ctapBridgeTrace":1,"program":"p","command":"info","arguments":[],"attended":false,"secrets":false}
    """

  @Test(
    "What is no recording is refused with its line",
    arguments: [
      ("", 1), ("{}", 1), ("[]", 1), ("nonsense", 1),
      (#"{"ctapBridgeTrace":2,"program":"p","command":"info","arguments":[],"attended":false,"secrets":false}"#, 1),
      (#"{"ctapBridgeTrace":1,"program":"p","command":"info","arguments":[1],"attended":false,"secrets":false}"#, 1),
      (head + "\n{", 2), (head + "\n1", 2), (head + "\n" + #"{"ms":0}"#, 2),
      (head + "\n" + #"{"ms":0,"event":"dance"}"#, 2), (head + "\n" + #"{"ms":-1,"event":"cancelled"}"#, 2),
      (head + "\n" + #"{"ms":1e300,"event":"cancelled"}"#, 2),
      (head + "\n" + #"{"ms":99999999999,"event":"cancelled"}"#, 2),
      (head + "\n\n" + #"{"ms":0,"event":"report","key":"k","direction":"toKey","bytes":"0"}"#, 3),
      (head + "\n" + #"{"ms":0,"event":"report","key":"k","direction":"toKey","bytes":"*0"}"#, 2),
      (head + "\n" + #"{"ms":0,"event":"report","key":"k","direction":"up","bytes":"00"}"#, 2),
      (head + "\n" + #"{"ms":0,"event":"open","key":"k","input":0,"output":64}"#, 2),
      (head + "\n" + #"{"ms":0,"event":"open","key":"k","input":64,"output":99999999}"#, 2),
      (head + "\n" + #"{"ms":0,"event":"open","key":"k","error":{"name":"odd"}}"#, 2),
      (head + "\n" + #"{"ms":0,"event":"keys","keys":[{"key":"k","vendorId":65536,"productId":0}]}"#, 2),
      (head + "\n" + #"{"ms":0,"event":"end","status":"0"}"#, 2),
    ])
  func refusals(_ text: String, line: Int) {
    #expect { try Recording(parsing: Array(text.utf8)) } throws: { ($0 as? RecordingError)?.line == line }
  }

  @Test("Reports and draws of any claimed length are bounded")
  func bounds() {
    let long = String(repeating: "00", count: 1025)
    let report = Self.head + "\n" + #"{"ms":0,"event":"report","key":"k","direction":"toKey","bytes":"\#(long)"}"#
    #expect(throws: RecordingError.self) { try Recording(parsing: Array(report.utf8)) }
  }
  @Test("Blank lines mean nothing and count, up to a limit")
  func blankLines() throws {
    let blank = [UInt8](repeating: UInt8(ascii: "\n"), count: Recording.Limit.lines)
    let read = try Recording(parsing: Array(Self.head.utf8) + blank)
    #expect(read.events.isEmpty)
    #expect {
      try Recording(parsing: Array(Self.head.utf8) + blank + Array(#"{"ms":0,"event":"cancelled"}"#.utf8))
    } throws: {
      ($0 as? RecordingError)?.line == Recording.Limit.lines + 1
    }
  }
}
