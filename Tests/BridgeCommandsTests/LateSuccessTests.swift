import CTAPMessages
import Foundation
import Octets
import Synchronization
import Testing
import WebAuthnClient

@testable import BridgeCommands
@testable import VirtualKey

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A credential that is made when nobody waits for it any more")
struct LateSuccessTests {
  private let folder: Scratch
  private let request: String

  init() throws {
    folder = try Scratch()
    try folder.write("pin", "4821\n")
    request = try folder.write(
      "request",
      Requests.options(#"{"authenticatorSelection":{"residentKey":"required","userVerification":"required"}}"#))
  }

  /// How the wait for a touch ends.
  enum WaitEnd: CaseIterable {
    case cancelled, timedOut
  }

  /// Registers on a key that is touched when it is told to stop, and does not hear that.
  private func late(_ end: WaitEnd, _ faults: [Fault]) async throws -> (LineKey, InProcess.Ending) {
    var configuration = VirtualKeyConfiguration()
    configuration.presence = .never
    configuration.pin = SecretBytes("4821".utf8)
    configuration.faults = FaultPlan(faults)
    let key = try LineKey(path: folder["line"], configuration)
    key.whenCancelled { [port = key.port] in port.touch() }
    let process = InProcess(usb: LineKeys(path: folder["line"]))
    let clock = ShiftedClock()
    let words = ["register", request, "--origin", Requests.origin, "--pin-file", folder["pin"], "--timeout", "3600"]
    let run = Task { await Tape.$realClock.withValue(clock) { await process.run(words) } }
    while !key.port.isWaitingForTouch { try await Task.sleep(for: .milliseconds(2)) }
    switch end {
    case .cancelled: run.cancel()
    case .timedOut: clock.putForward(by: .seconds(3600))
    }
    let ending = await run.value
    while made(by: key).isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    return (key, ending)
  }

  /// The IDs of the credentials that a key made.
  private func made(by key: LineKey) -> [String] {
    key.port.log.compactMap { entry in
      if case .credentialMade(_, let id, _) = entry.event { Base64URL.encode(id) } else { nil }
    }
  }

  private func credentials() async -> Int {
    let list = await InProcess(usb: LineKeys(path: folder["line"])).run(
      "credentials", "list", "--json", "--pin-file", folder["pin"])
    return list.output.components(separatedBy: "\"userHandle\"").count - 1
  }

  @Test(
    "after a cancel or a timeout the credential is named, and the command that is told removes it",
    .timeLimit(.minutes(5)),
    arguments: WaitEnd.allCases)
  func removal(end: WaitEnd) async throws {
    let (key, ending) = try await late(end, [.ignoresCancel])
    defer { key.hangUp() }
    #expect(ending.status == .credentialExists, "\(ending.error)")
    let made = made(by: key)
    #expect(made.count == 1 && ending.error.contains("with the ID \(made[0]) now exists"), "\(ending.error)")
    #expect(await credentials() == 1)
    let told = try #require(ending.error.split(separator: "`").last { $0.hasPrefix("ctap-bridge ") })
    let words = told.split(separator: " ").dropFirst().map(String.init)
    let removal = await InProcess(usb: LineKeys(path: folder["line"])).run(
      Array(words[..<2]) + ["--yes", "--pin-file", folder["pin"]] + words[2...])
    #expect(removal.status == .success, "\(removal.error)")
    #expect(await credentials() == 0)
  }

  @Test("where only the key knows the credential, the command that lists it is told", .timeLimit(.minutes(5)))
  func lostAnswer() async throws {
    let (key, ending) = try await late(
      .timedOut, [.ignoresCancel, .answer(CTAPCommand.makeCredential.rawValue, .lost, times: 1)])
    defer { key.hangUp() }
    #expect(ending.status == .credentialExists)
    #expect(ending.error.contains("`ctap-bridge credentials list` lists what the key keeps."), "\(ending.error)")
    key.port.powerCycle()
    #expect(await credentials() == 1)
  }

  @Test("the advice names the key as a shell reads it, and an ID with a dash in front is no option")
  func advice() {
    func advice(_ id: [UInt8]?, _ key: String?) -> String? {
      Removal.advice(WebAuthnError(.notAllowedError, .credentialExists, "", credentialID: id), key: key)
    }
    #expect(advice([0xfb, 0xff], nil) == "`ctap-bridge credentials delete -- -_8` deletes it.")
    #expect(advice([1], "/dev/hidraw3") == "`ctap-bridge credentials delete --key /dev/hidraw3 AQ` deletes it.")
    #expect(
      advice(nil, "virtual:it's mine")
        == #"`ctap-bridge credentials list --key 'virtual:it'\''s mine'` lists what the key keeps."#)
    #expect(advice([1], "virtual") == nil)
    #expect(Removal.advice(WebAuthnError(.notAllowedError, .timedOut, ""), key: nil) == nil)
  }

  @Test(
    "a signal at any moment of a registration leaves no credential that is not returned, named or saved",
    arguments: Array(stride(from: 0, to: 240, by: 12)))
  func race(milliseconds: Int) async throws {
    let ending = try await bridge(
      Child.Setup(
        arguments: [
          "register", request, "--origin", Requests.origin, "--key", "virtual:\(folder["key"])", "--presence",
          "after=0.1", "--virtual-pin-file", folder["pin"], "--pin-file", folder["pin"],
        ], environment: ["XDG_STATE_HOME": folder["state"]])
    ) { child in
      usleep(UInt32(milliseconds) * 1000)
      child.signal(SIGTERM)
    }
    let made = try folder.key()?.credentials.count ?? 0
    switch ending.status {
    case 0: #expect(made == 1 && ending.text.hasPrefix("{"))
    case 13: #expect(made == 1 && ending.error.contains(" now exists "), "\(ending.error)")
    default:
      #expect([143, 1015].contains(ending.status), "\(ending.status) \(ending.error)")
      #expect(made == 0 && ending.output.isEmpty, "\(ending.error)")
    }
  }

  @Test(
    "killed at any moment of a registration, a key's file is there whole, old or new",
    arguments: [0, 30, 60, 80, 90, 95, 100, 105, 110, 115, 120, 130, 140, 160])
  func killed(milliseconds: Int) async throws {
    let words = [
      "register", request, "--origin", Requests.origin, "--key", "virtual:\(folder["key"])", "--virtual-pin-file",
      folder["pin"], "--pin-file", folder["pin"],
    ]
    #expect(try await bridge(Child.Setup(arguments: words)).status == 0)
    let before = try #require(try folder.key())
    let ending = try await bridge(Child.Setup(arguments: words + ["--presence", "after=0.05"])) { child in
      usleep(UInt32(milliseconds) * 1000)
      child.signal(SIGKILL)
    }
    let after = try #require(try folder.key())
    let isWhole = [before.signatureCounter, before.signatureCounter + 1].contains(after.signatureCounter)
    #expect(isWhole && after.credentials.count == 1, "one account has one credential")
    #expect([0, 1009].contains(ending.status))
    #expect(try await bridge(Child.Setup(arguments: words)).status == 0, "it goes on from there")
  }
}
