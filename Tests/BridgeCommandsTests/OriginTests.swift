import Testing
import WebAuthnClient

@testable import BridgeCommands

@Suite("The origin")
struct OriginTests {
  private func decide(_ given: String?, list: String? = nil) throws -> String {
    let folder = try Scratch()
    let path = try list.map { try folder.write("origins", $0) } ?? folder["origins"]
    return try AllowedOrigins.decide(given: given, command: "register", path: path).serialized
  }

  private func failure(_ given: String?, list: String? = nil) throws -> CommandFailure {
    do {
      let origin = try decide(given, list: list)
      Issue.record("\(origin) was taken")
    } catch let error as CommandFailure {
      return error
    }
    throw CommandFailure("", "", .success)
  }

  @Test("without a list any origin is taken, and none may be left out")
  func noList() throws {
    #expect(try decide("https://Example.org:443/") == "https://example.org")
    let missing = try failure(nil)
    #expect(missing.status == .usage)
    #expect(missing.reason.hasPrefix("--origin is missing, the web origin that the request is for."))
  }

  @Test("a list with one origin supplies it, and one with several wants it named")
  func list() throws {
    let list = "# ours\n\n  https://a.example  # the shop\r\n"
    #expect(try decide(nil, list: list) == "https://a.example")
    #expect(try decide("https://a.example", list: list) == "https://a.example")
    #expect(try decide("https://b.example", list: list + "https://b.example") == "https://b.example")
    let missing = try failure(nil, list: list + "https://b.example")
    #expect(missing.status == .usage && missing.reason.contains("allows more than one; name one of them."))
  }

  @Test("an origin that is not on the list is a SecurityError")
  func notListed() throws {
    let failure = try failure("https://evil.example", list: "https://a.example")
    #expect(failure.name == "SecurityError" && failure.status == .badRequest)
    #expect(failure.reason.hasPrefix("The origin https://evil.example is not among those that "))
  }

  @Test(
    "a list that cannot be used allows nothing, and says where the fault is",
    arguments: [
      ("", "has none in it."), ("# none\n", "has none in it."), ("https://a.example\nftp://x", "It is in line 2 of "),
    ])
  func badList(list: String, words: String) throws {
    for given in [nil, "https://a.example"] {
      let failure = try failure(given, list: list)
      #expect(failure.status == .configuration && failure.reason.contains(words), "\(failure)")
    }
  }

  @Test("a list that is there and cannot be read allows nothing")
  func unreadableList() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try AllowedOrigins.decide(given: "https://a.example", command: "register", path: "/tmp")
    }
    #expect(failure?.status == .configuration)
  }

  @Test("the list is held against every ceremony's origin", arguments: ["register", "authenticate"])
  func ceremonies(command: String) async throws {
    let folder = try Scratch()
    let process = InProcess(allowedOrigins: try folder.write("origins", "https://a.example\n"))
    let request = try folder.write("request", Requests.options())
    let refused = await process.run(command, request, "--origin", "https://example.org", "--key", "virtual")
    #expect(refused.status == .badRequest && refused.error.hasPrefix("ctap-bridge: SecurityError: "))
    let fixed = await process.run("register", request, "--key", "virtual")
    #expect(
      fixed.error.contains("rp.id is \"example.org\", which is neither the domain of https://a.example nor a parent"))
  }

  @Test("the origin is never taken from the request")
  func notFromRequest() async throws {
    let request = try Requests.options(
      #"{"origin":"https://example.org","rp":{"id":"example.org","name":"https://example.org"}}"#)
    let ending = try await bridge("register", "--key", "virtual", input: request)
    #expect(
      ending.error
        == "ctap-bridge: UsageError: --origin is missing, the web origin that the request is for. "
        + "See `ctap-bridge register --help`.\n")
    #expect(ending.status == 64)
  }

  @Test(
    "an origin that may not use WebAuthn is refused by its WebAuthn name",
    arguments: [
      ("http://example.org", "SecurityError"), ("example.org", "SecurityError"),
      ("https://example.org/path", "SecurityError"),
      ("null", "NotAllowedError"), ("https://192.0.2.1", "SecurityError"), ("https://a\u{1b}[31m", "SecurityError"),
    ])
  func refused(origin: String, name: String) async throws {
    let ending = try await bridge("register", "--origin", origin, "--key", "virtual", input: try Requests.options())
    #expect(ending.lastLine.hasPrefix("ctap-bridge: \(name): ") && !ending.error.contains("\u{1b}"), "\(ending.error)")
    #expect(ending.status == 65)
  }
}
