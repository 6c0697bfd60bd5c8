import CTAPMessages
import JSONText
import Testing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("The settings of a key")
struct ConfigCommandTests {
  @Test("always-uv is switched only where it is not right already, and the PIN is asked for only then")
  func alwaysUv() async throws {
    let desk = try KeyDesk()
    #expect(await desk.run("config", "always-uv", "off").status == .success)
    #expect(desk.requests(.clientPIN) == 0 && desk.requests(.config) == 0)
    let on = try await desk.json("config", "always-uv", "on")
    #expect(on.members?.map(\.name) == ["alwaysUv", "changed"])
    #expect(on["alwaysUv"]?.boolValue == true && on["changed"]?.boolValue == true)
    #expect(try desk.state.alwaysUV == true)
    let again = await desk.run("config", "always-uv", "on")
    #expect(again.status == .success && again.error.hasSuffix("The key always verifies its user already.\n"))
    let off = try await desk.done("config", "always-uv", "off")
    #expect(off.output.isEmpty && off.error.hasSuffix("The key verifies its user where a site wants it now.\n"))
    #expect(try desk.state.alwaysUV == false)
    #expect(desk.requests(.config) == 2)
    #expect(desk.tokens == Array(repeating: .init(permissions: .authenticatorConfiguration), count: 2))
  }

  struct Lasting: Sendable, CustomTestStringConvertible {
    let command: String
    let member: String
    let words: String
    let isOn: @Sendable (VirtualKeyState) -> Bool?
    var testDescription: String { command }
  }

  static let lastingSettings = [
    Lasting(command: "enterprise-attestation", member: "enterpriseAttestation", words: "Enterprise attestation is on") {
      $0.enterpriseAttestation
    },
    Lasting(command: "long-touch-reset", member: "longTouchForReset", words: "A reset needs a long touch") {
      $0.longTouchForReset
    },
  ]

  @Test("what only a reset takes back wants a yes, and is not sent where it is on", arguments: lastingSettings)
  func lasting(_ setting: Lasting) async throws {
    let desk = try KeyDesk()
    let unsaid = await desk.run("config", setting.command, "--pin-file", desk.scratch["pin"])
    #expect(unsaid.status == .declined && unsaid.error.contains("add --yes where it is meant"), "\(unsaid.error)")
    #expect(unsaid.error.contains("Only a reset, which erases the key, takes this back."))
    #expect(desk.requests(.config) == 0 && desk.requests(.clientPIN) == 0)
    let on = try await desk.json("config", setting.command, "--yes")
    #expect(on.members?.map(\.name) == [setting.member, "changed"])
    #expect(on[setting.member]?.boolValue == true && on["changed"]?.boolValue == true)
    #expect(setting.isOn(try desk.state) == true)
    let again = await desk.run("config", setting.command)
    #expect(again.status == .success && again.error.hasSuffix("\(setting.words) already.\n"), "\(again.error)")
    #expect(desk.requests(.config) == 1)
  }

  @Test(
    "a key without a setting says so before a PIN is asked for",
    arguments: [["always-uv", "on"], ["enterprise-attestation", "--yes"], ["long-touch-reset", "--yes"]])
  func notOffered(words: [String]) async throws {
    let desk = try KeyDesk {
      $0.profile.info.options?[.alwaysUv] = nil
      $0.profile.info.options?[.ep] = nil
      $0.profile.info.longTouchForReset = nil
    }
    let ending = await desk.run(["config"] + words)
    #expect(ending.status == .unavailable && ending.error.contains("does not offer"), "\(ending.error)")
    #expect(desk.requests(.clientPIN) == 0)
  }

  @Test("a key that nobody protects is configured without a PIN")
  func unprotected() async throws {
    let desk = try KeyDesk(pin: nil)
    let ending = await desk.run("config", "enterprise-attestation", "--yes")
    #expect(ending.status == .success && ending.error.hasSuffix("Enterprise attestation is on now.\n"))
    #expect(desk.requests(.clientPIN) == 0)
  }

  @Test("always-uv is on or off and nothing else", arguments: ["", "true", "ON"])
  func word(_ word: String) async throws {
    let desk = try KeyDesk()
    #expect(await desk.run("config", "always-uv", word).status == .usage)
    #expect(desk.port.log == desk.port.log.filter { $0.event == .poweredUp })
  }
}
