import Testing

@testable import BridgeCommands

@Suite("A system that grants too little")
struct SystemLimitTests {
  @Test(
    "is told in a sentence that names the limit, with status 71, before anything is done",
    arguments: [
      ("-n 4", "8 files open at a time"), ("-n 6", "8 files open at a time"),
      ("-v 110000", "128 MiB of address space"),
    ])
  func limits(limit: String, words: String) async throws {
    var setup = Child.Setup(arguments: ["-c", "ulimit \(limit); exec \"$@\"", "sh", Binary.path, "list"])
    setup.program = "/bin/sh"
    let ending = try await bridge(setup) { _ in }
    #expect(ending.status == ExitStatus.systemResources.rawValue)
    #expect(ending.output.isEmpty)
    #expect(ending.error.hasPrefix("ctap-bridge: OperationError: ctap-bridge needs ") && ending.error.contains(words))
    #expect(ending.error.contains("`ulimit \(limit.prefix(2))`"))
  }

  @Test("reaches a program that asked for JSON as JSON")
  func json() async throws {
    for (option, prefix) in [
      ("--error-format=json", #"{"error":{"name":"OperationError","#), ("--interaction=json", "{"),
    ] {
      var setup = Child.Setup(arguments: ["-c", "ulimit -n 4; exec \"$@\"", "sh", Binary.path, "list", option])
      setup.program = "/bin/sh"
      let ending = try await bridge(setup) { _ in }
      #expect(ending.status == ExitStatus.systemResources.rawValue)
      #expect(ending.error.hasPrefix(prefix) && ending.error.contains("ulimit -n"), "\(ending.error)")
    }
  }
}
