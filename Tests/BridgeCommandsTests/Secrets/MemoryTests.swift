import Foundation
import Testing
import VirtualKey

@testable import BridgeCommands

@Suite(
  "Secrets in memory", .serialized,
  .enabled(if: ForeignMemory.isReadable && !Sanitizer.isOn, "no reading of a child's memory here, or a sanitizer"))
struct MemoryTests {
  private static func drawn() -> String {
    String((0..<20).compactMap { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() })
  }

  @Test(
    "after a registration neither PIN nor token is left in memory", arguments: MemoryRun.Way.allCases, [[2, 1], [1]])
  func registration(way: MemoryRun.Way, protocols: [Int]) async throws {
    let pin = Self.drawn()
    let run = try MemoryRun(way, pins: [pin], keyPIN: pin, protocols: protocols)
    try run.write("request", Requests.options(Requests.verified))
    try run.write("pin", pin + "\n")
    let given = way == .file ? ["--pin-file", run.folder + "/pin"] : []
    try run.prepare(["register", run.folder + "/request", "--origin", Requests.origin] + given, way)
    await #expect(processExitsWith: .exitCode(0)) { await MemoryRun.child() }
    // The search finds what is there: the token that the registration under way needs.
    #expect(run.found.first { $0.moment == "touch" }?.names.contains { $0.hasPrefix("token") } == true)
    let after = try #require(run.found.first { $0.moment == "output" })
    #expect(after.names.isEmpty, "\(after.names)")
  }

  @Test(
    "after a PIN was set or changed neither it nor the old one is left in memory", arguments: MemoryRun.Way.allCases)
  func newPIN(way: MemoryRun.Way) async throws {
    for isChange in [false, true] {
      let (old, new) = (Self.drawn(), Self.drawn())
      let typed = (isChange ? [old] : []) + (way == .terminal ? [new, new] : [new])
      let run = try MemoryRun(way, pins: typed, keyPIN: isChange ? old : nil, protocols: [2, 1])
      try run.write("old", old + "\n")
      try run.write("new", new + "\n")
      let given =
        way == .file
        ? ["--new-pin-file", run.folder + "/new"] + (isChange ? ["--pin-file", run.folder + "/old"] : []) : []
      try run.prepare(["pin", isChange ? "change" : "set", "--json"] + given, way)
      await #expect(processExitsWith: .exitCode(0)) { await MemoryRun.child() }
      let after = try #require(run.found.first { $0.moment == "output" })
      #expect(after.names.isEmpty, "\(after.names)")
    }
  }

  @Test("after a sign-in, and a listing with a wrong PIN before the right one, nothing is left in memory")
  func signIn() async throws {
    let (pin, wrong) = (Self.drawn(), Self.drawn())
    for words in [["authenticate"], ["credentials", "list", "--json"]] {
      let run = try MemoryRun(.terminal, pins: [wrong, pin], keyPIN: pin, protocols: [2, 1])
      try run.write("pin", pin + "\n")
      try run.write("request", Requests.options(Requests.resident))
      let made = await InProcess(usb: VirtualKeySource(run.key.port)).run(
        "register", run.folder + "/request", "--origin", Requests.origin, "--pin-file", run.folder + "/pin")
      #expect(made.status == .success, "\(made.error)")
      let request = #"{"challenge":"AAECAwQFBgc","rpId":"example.org","userVerification":"required"}"#
      try run.write("sign-in", request)
      let rest = words[0] == "authenticate" ? [run.folder + "/sign-in", "--origin", Requests.origin] : []
      try run.prepare(words + rest, .terminal)
      await #expect(processExitsWith: .exitCode(0)) { await MemoryRun.child() }
      #expect(run.key.port.log.contains { $0.event == .pinTry(retriesLeft: 7) })
      let after = try #require(run.found.first { $0.moment == "output" })
      #expect(after.names.isEmpty, "\(words): \(after.names)")
    }
  }

  @Test("a recording that leaves secrets out keeps none in memory either", arguments: MemoryRun.Way.allCases)
  func recorded(way: MemoryRun.Way) async throws {
    let pin = Self.drawn()
    let run = try MemoryRun(way, pins: [pin], keyPIN: pin, protocols: [2, 1])
    try run.write("request", Requests.options(Requests.verified))
    try run.write("pin", pin + "\n")
    let given = way == .file ? ["--pin-file", run.folder + "/pin"] : []
    let trace = ["--trace", run.folder + "/trace"]
    try run.prepare(["register", run.folder + "/request", "--origin", Requests.origin] + given + trace, way)
    await #expect(processExitsWith: .exitCode(0)) { await MemoryRun.child() }
    let after = try #require(run.found.first { $0.moment == "output" })
    #expect(after.names.isEmpty, "\(after.names)")
  }
}
