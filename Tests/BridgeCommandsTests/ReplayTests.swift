import Foundation
import JSONText
import Testing

@testable import BridgeCommands

@Suite("Replays of recordings")
struct ReplayTests {
  /// The recordings in `Tests/Recordings`; see `make` there for how to add one.
  static let folder = Binary.package.appendingPathComponent("Tests/Recordings")
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".trace") }.map { String($0.dropLast(6)) }.sorted()

  static func lines(_ name: String) throws -> [String] {
    try String(contentsOf: folder.appendingPathComponent(name + ".trace"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  static func isReport(_ line: String, _ direction: String) -> Bool {
    line.contains(#""event":"report""#) && line.contains(#""direction":"\#(direction)""#)
  }

  /// Replays lines and returns the exit status, the output and the error's reason.
  func replay(_ lines: [String]) async throws -> (status: BridgeCommands.ExitStatus, output: String, reason: String) {
    let scratch = try Scratch()
    let path = try scratch.write("changed.trace", lines.joined(separator: "\n") + "\n")
    let ending = await InProcess().run(["replay", path, "--error-format", "json"])
    let last = ending.error.split(separator: "\n").last.map(String.init) ?? ""
    let reason = try? JSONDocument(parsing: Array(last.utf8)).root["error"]?["reason"]?.stringValue
    return (ending.status, ending.output, reason ?? "")
  }

  @Test("There are recordings of each kind of ceremony")
  func kinds() { #expect(Self.names.count >= 15) }

  @Test("Each recording replays to its end and prints the stored result", arguments: names)
  func stored(_ name: String) async throws {
    let end = try JSONDocument(parsing: Array(#require(Self.lines(name).last).utf8)).root
    let path = Self.folder.appendingPathComponent(name).path
    let ending = await InProcess().run(["replay", path + ".trace", "--error-format", "json"])
    #expect(ending.status.rawValue == end["status"]?.integerValue.map(Int32.init), "\(ending.error)")
    let last = ending.error.split(separator: "\n").last.map { $0 + "\n" } ?? ""
    let expected = try String(contentsOfFile: path + ".json", encoding: .utf8)
    #expect((ending.status == .success ? ending.output : last) == expected)
  }

  @Test("With secrets every byte counts: any report that differs ends the replay with status 14 and says which")
  func divergence() async throws {
    let lines = try Self.lines("register-with-secrets")
    let sent = lines.indices.filter { Self.isReport(lines[$0], "toKey") }
    #expect(sent.count > 10)
    let reports = lines.indices.filter { lines[$0].contains(#""event":"report""#) }
    for index in sent {
      var changed = lines
      let byte = try #require(changed[index].range(of: #""bytes":""#)).upperBound
      let place = changed[index].index(byte, offsetBy: 20)
      changed[index].replaceSubrange(place...place, with: changed[index][place] == "0" ? "1" : "0")
      let (status, output, reason) = try await replay(changed)
      #expect(status == .diverged)
      #expect(output.isEmpty)
      let number = try #require(reports.firstIndex(of: index)) + 1
      #expect(reason.contains("At report \(number) in line \(index + 1): expected the report"), "\(reason)")
      #expect(reason.contains("sent the report"))
    }
  }

  @Test("Without secrets another public byte is found too, and a redacted one matches anything")
  func redacted() async throws {
    let lines = try Self.lines("register-pin-two")
    let index = try #require(lines.indices.first { Self.isReport(lines[$0], "toKey") && lines[$0].contains("**") })
    var changed = lines
    changed[index] = changed[index].replacingOccurrences(of: "0609", with: "0608").replacingOccurrences(
      of: "a6", with: "a7")
    #expect(try await replay(changed).status == .diverged)
    for line in lines where line.contains(#""draw""#) { #expect(!line.contains("private")) }
  }

  @Test("A recording that lacks reports, or that ends early, is followed as far as it goes")
  func cut() async throws {
    let lines = try Self.lines("register")
    for count in [1, 3, 5, 7, 9, lines.count / 2, lines.count - 3] {
      #expect(try await replay(Array(lines.prefix(count))).status != .success, "\(count) lines")
    }
    let answer = try #require(lines.indices.last { Self.isReport(lines[$0], "fromKey") })
    var missing = lines
    missing.remove(at: answer)
    #expect(try await replay(missing).status == .diverged)
  }

  @Test("Another exit status than the recorded one is a divergence")
  func otherStatus() async throws {
    var lines = try Self.lines("register")
    lines[lines.count - 1] = #"{"ms":9,"event":"end","status":12}"#
    let (status, _, reason) = try await replay(lines)
    #expect(status == .diverged)
    #expect(reason.contains("expected the status 12, and the command ended with status 0"))
  }

  @Test(
    "What is no recording of a command is refused with status 65 and the reason",
    arguments: [
      (
        #"{"ctapBridgeTrace":1,"program":"p","command":"replay","arguments":[],"attended":false,"secrets":false}"#,
        "which has no recordings"
      ),
      (
        #"{"ctapBridgeTrace":1,"program":"p","command":"info","arguments":["--odd"],"attended":false,"secrets":false}"#,
        "its command line is not understood"
      ),
      (
        #"{"ctapBridgeTrace":1,"program":"p","command":"register","arguments":["--output","x"],"attended":false,"secrets":false}"#,
        "its command line has --output"
      ),
      ("hello", "line 1 is not JSON"), ("{}", "line 1 is not the header of a trace"),
    ])
  func refusals(_ text: String, reason: String) async throws {
    let ending = try await replay([text])
    #expect(ending.status == .badRequest)
    #expect(ending.reason.contains(reason), "\(ending.reason)")
  }

  @Test("A replay reads no file that its recording names")
  func noFiles() async throws {
    let scratch = try Scratch()
    let secret = try scratch.write("secret", "4821\n")
    let header =
      #"{"ctapBridgeTrace":1,"program":"p","command":"register","arguments":["--origin","#
      + #""https://example.org","--pin-file","\#(secret)","--","\#(secret)"],"attended":false,"secrets":false}"#
    let ending = try await replay([header])
    #expect(ending.status == .diverged || ending.status == .noInput)
    #expect(ending.reason.contains("The recording has no"))
  }
}
