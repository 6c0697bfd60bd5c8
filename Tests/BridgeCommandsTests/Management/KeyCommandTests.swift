import CTAPHID
import CTAPMessages
import JSONText
import Testing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("ping and identify")
struct KeyCommandTests {
  private static func pings(_ desk: KeyDesk) -> Int {
    desk.port.log.count { if case .replied(.ping, _) = $0.event { true } else { false } }
  }

  @Test("a ping has so many bytes so often", arguments: [(0, 1), (1, 3), (57, 2), (58, 2), (1024, 2), (7609, 1)])
  func ping(size: Int, count: Int) async throws {
    let desk = try KeyDesk()
    let ending = await desk.run("ping", "--size", "\(size)", "--count", "\(count)", "--json")
    #expect(ending.status == .success, "\(ending.error)")
    let json = try JSONDocument(parsing: Array(ending.output.utf8)).root
    #expect(json.members?.map(\.name) == ["size", "count", "unit", "minimum", "average", "maximum", "times"])
    #expect(json["size"]?.integerValue == size && json["count"]?.integerValue == count)
    #expect(json["times"]?.elements?.count == count && json["unit"]?.stringValue == "ms")
    let (least, most) = (json["minimum"]?.doubleValue ?? -1, json["maximum"]?.doubleValue ?? -1)
    #expect(least >= 0 && least <= most)
    #expect(Self.pings(desk) == count)
  }

  @Test("in words there is a line for each and one for all of them")
  func words() async throws {
    let desk = try KeyDesk()
    let lines = await desk.run("ping").output.split(separator: "\n")
    #expect(lines.count == 5 && lines.dropLast().allSatisfy { $0.hasPrefix("64 bytes: ") && $0.hasSuffix(" ms") })
    #expect(lines.last?.hasPrefix("4 of 4 came back; in milliseconds: ") == true)
  }

  @Test(
    "numbers that are none are refused",
    arguments: [["--size", "-1"], ["--size", "7610"], ["--size", "x"], ["--count", "0"], ["--count", "100001"]])
  func numbers(_ words: [String]) async throws {
    let desk = try KeyDesk()
    let ending = await desk.run(["ping"] + words)
    #expect(ending.status == .usage && ending.error.contains(words[0]))
    #expect(Self.pings(desk) == 0)
  }

  @Test("identify makes the named one of several keys show itself, and no other")
  func identify() async throws {
    let desk = try KeyDesk()
    let other = try VirtualKeyPort()
    desk.source.plug(other, id: "other")
    let process = InProcess(usb: desk.source)
    let json = await process.run("identify", "--key", "other", "--json")
    #expect(json.status == .success && json.output == "{\n  \"identified\": \"other\"\n}\n", "\(json.error)")
    #expect(other.log.contains { $0.event == .winked } && !desk.port.log.contains { $0.event == .winked })
    let words = await process.run("identify", "--key", "desk")
    #expect(words.output.isEmpty && words.error.hasSuffix("CTAPBridge Virtual Key (virtual) shows itself now.\n"))
    for command in ["identify", "ping"] {
      let unnamed = await process.run(command)
      #expect(unnamed.status == .usage && unnamed.error.contains("2 keys are plugged in; name one with --key"))
    }
  }

  @Test("without a key, both say so at once", arguments: ["identify", "ping"])
  func none(command: String) async {
    let ending = await InProcess().run(command)
    #expect(ending.status == .unavailable)
    #expect(ending.error == "ctap-bridge: NotAllowedError: No security key is plugged in.\n")
  }
}
