import JSONText
import Testing

@testable import BridgeCommands

@Suite("Verify")
struct VerifyTests {
  /// A folder with a registration of a virtual key, its request, and a sign-in with its own.
  static func folder() async throws -> Scratch {
    let scratch = try Scratch()
    let options = try Requests.options(#"{"attestation":"direct"}"#)
    try scratch.write("creation.json", options)
    let made = try await bridge(
      "register", scratch["creation.json"], "--origin", Requests.origin, "--key", "virtual:\(scratch["key"])",
      "--output", scratch["registration.json"])
    #expect(made.status == 0, "\(made.error)")
    let id = try #require(JSONDocument(parsing: Array(scratch.read("registration.json").utf8)).root["id"]?.stringValue)
    try scratch.write(
      "request.json",
      #"{"challenge":"CAkKCwwNDg8","rpId":"example.org","allowCredentials":[{"type":"public-key","id":"\#(id)"}]}"#)
    let signed = try await bridge(
      "authenticate", scratch["request.json"], "--origin", Requests.origin, "--key", "virtual:\(scratch["key"])",
      "--output", scratch["authentication.json"])
    #expect(signed.status == 0, "\(signed.error)")
    return scratch
  }

  private static func registration(_ scratch: Scratch, _ more: String...) async -> InProcess.Ending {
    await InProcess().run(
      ["verify", "registration", "--request", scratch["creation.json"], "--response", scratch["registration.json"]]
        + more)
  }

  private static func authentication(
    _ scratch: Scratch, _ credential: String, _ more: String...
  ) async -> InProcess.Ending {
    await InProcess().run(
      [
        "verify", "authentication", "--request", scratch["request.json"], "--response",
        scratch["authentication.json"], "--credential", scratch[credential],
      ] + more)
  }

  @Test("prints each check on a line of its own, and ends with 0 where none failed")
  func whole() async throws {
    let scratch = try await Self.folder()
    let registration = await Self.registration(scratch, "--origin", Requests.origin)
    #expect(registration.status == .success && registration.error.isEmpty)
    let lines = registration.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("passed       challenge"))
    #expect(lines.contains("passed       origin: https://example.org"))
    #expect(lines.contains("passed       attestation: format \"packed\", with a certificate"))
    #expect(lines.contains("not checked  trustChain: no trust anchors were given"))
    #expect(!lines.contains { $0.hasPrefix("failed") })
    let authentication = await Self.authentication(scratch, "registration.json", "--origin", Requests.origin)
    #expect(authentication.status == .success && authentication.error.isEmpty)
    #expect(authentication.output.contains("passed       signature\n"))
    #expect(authentication.output.contains("not checked  registration: "))
  }

  @Test("takes the credential from its own JSON, and then knows the user and the counter")
  func json() async throws {
    let scratch = try await Self.folder()
    try scratch.write("credential.json", await Self.registration(scratch, "--json").output)
    let authentication = await Self.authentication(scratch, "credential.json", "--json")
    let found = try JSONDocument(parsing: Array(authentication.output.utf8)).root
    #expect(found["verified"]?.boolValue == true)
    #expect(found["credential"]?["userHandle"]?.stringValue == "AAEC")
    let subjects = found["checks"]?.elements?.compactMap { $0["check"]?.stringValue } ?? []
    #expect(!subjects.contains("registration") && subjects.contains("signature"))
    // The same answer again: its counter was seen.
    try scratch.write("credential.json", authentication.output)
    let again = await Self.authentication(scratch, "credential.json")
    #expect(again.status == .protocolViolation)
    #expect(again.error == "ctap-bridge: DataError: 1 of \(subjects.count) checks failed: signCount.\n")
  }

  @Test("ends with 76 and names the checks that failed, in text and in JSON")
  func failures() async throws {
    let scratch = try await Self.folder()
    let text = await Self.registration(scratch, "--origin", "https://example.com")
    #expect(text.status == .protocolViolation)
    #expect(text.output.contains("failed       origin: it is https://example.org, and https://example.com is expected"))
    #expect(text.error.hasSuffix("checks failed: origin.\n"))
    let json = await Self.registration(scratch, "--origin", "https://example.com", "--json")
    #expect(json.status == .protocolViolation)
    let found = try JSONDocument(parsing: Array(json.output.utf8)).root
    #expect(found["verified"]?.boolValue == false && found["credential"] == nil)
  }

  @Test("takes several origins, those of apps among them, and refuses what is none")
  func origins() async throws {
    let scratch = try await Self.folder()
    let many = await Self.registration(
      scratch, "--origin", "android:apk-key-hash:AAAA", "--origin", "HTTPS://EXAMPLE.ORG:443/")
    #expect(many.status == .success)
    #expect(await Self.registration(scratch, "--origin", "example.org").status == .badRequest)
  }

  @Test("fails where the attestation does not lead to the trust anchors, and refuses anchors that are none")
  func trustAnchors() async throws {
    let scratch = try await Self.folder()
    try scratch.write("empty.pem", "none")
    let none = await Self.registration(scratch, "--trust-anchors", scratch["empty.pem"])
    #expect(none.status == .badRequest)
    #expect(none.error.contains("are no certificates"))
    #expect(await Self.registration(scratch, "--trust-anchors", scratch["missing.pem"]).status == .noInput)
  }

  @Test("names the option that is missing", arguments: ["--request", "--response", "--credential"])
  func missing(_ option: String) async throws {
    let scratch = try Scratch()
    try scratch.write("request.json", #"{"challenge":"AQ"}"#)
    try scratch.write("response.json", #"{}"#)
    var arguments: [String] = []
    for (name, file) in [("--request", "request.json"), ("--response", "response.json"), ("--credential", "none")]
    where name != option {
      arguments += [name, scratch[file]]
    }
    let ending = await InProcess().run(["verify", "authentication"] + arguments)
    // The response is looked at before the credential.
    let expected = option == "--credential" ? "type is missing" : "\(option) is missing"
    #expect(ending.status == (option == "--credential" ? .badRequest : .usage))
    #expect(ending.error.contains(expected), "\(ending.error)")
  }

  @Test("refuses files that are not what they should be, and says which")
  func unreadable() async throws {
    let scratch = try await Self.folder()
    try scratch.write("registration.json", "[]")
    let ending = await Self.registration(scratch)
    #expect(ending.status == .badRequest)
    #expect(
      ending.error.contains("The response is not a JSON object. It was read from \(scratch["registration.json"])."))
  }
}
