import CTAPMessages
import JSONText
import Testing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("The fingerprints on a key")
struct FingerprintCommandTests {
  private static func desk(
    samples: [EnrollSampleStatus] = [], _ change: (inout VirtualKeyConfiguration) -> Void = { _ in }
  ) throws -> KeyDesk {
    try KeyDesk {
      $0.profile.info.options?[.bioEnroll] = false
      $0.profile.info.options?[.uv] = false
      $0.fingerprints = FingerprintPolicy(samples: samples)
      change(&$0)
    }
  }

  private static func preview(_ configuration: inout VirtualKeyConfiguration) {
    configuration.profile.info.versions = ["FIDO_2_0", "FIDO_2_1_PRE"]
    configuration.profile.info.options = [
      "rk": true, "up": true, "clientPin": false, "userVerificationMgmtPreview": false, "uv": false,
    ]
    configuration.profile.info.pinUvAuthProtocols = [1]
  }

  @Test("each sample is told as it comes, the bad ones with what was wrong, and the good ones count down")
  func feedback() async throws {
    let desk = try Self.desk(samples: [.tooFast, .good, .poorQuality, .good, .tooLeft, .good, .good])
    let ending = try await desk.done("fingerprints", "add", "--name", "Left thumb")
    let told = ending.error.split(separator: "\n").filter { $0.hasSuffix("to go.") || $0.hasSuffix("the last one.") }
    let expected: [(EnrollSampleStatus, String)] = [
      (.tooFast, "4 more to go."), (.good, "3 more to go."), (.poorQuality, "3 more to go."), (.good, "2 more to go."),
      (.tooLeft, "2 more to go."), (.good, "1 more to go."), (.good, "That was the last one."),
    ]
    #expect(told.map(String.init) == expected.map { "\($0.0.explanation) \($0.1)" })
    #expect(Set(expected.map(\.0.explanation)).count == 4)
    let stored = try #require(try desk.state.fingerprints.first)
    #expect(stored.name == "Left thumb")
  }

  @Test("while the key waits for a finger, the person is asked for it, before each sample")
  func asked() async throws {
    let desk = try Self.desk { $0.presence = .after(.milliseconds(20)) }
    let ending = try await desk.done("fingerprints", "add")
    let asked = ending.error.split(separator: "\n").count {
      $0.hasPrefix("Touch the sensor of your key now: CTAPBridge")
    }
    #expect(asked == Authenticator.samplesForFingerprint, "\(ending.error)")
  }

  @Test("list, add, rename and remove, with --json", arguments: [false, true])
  func json(isOld: Bool) async throws {
    let desk = try Self.desk { if isOld { Self.preview(&$0) } }
    #expect(try await desk.json("fingerprints", "list").elements?.isEmpty == true)
    let first = try await desk.json("fingerprints", "add", "--name", "Thumb")
    #expect(first.members?.map(\.name) == ["id", "name"] && first["name"]?.stringValue == "Thumb")
    let second = try await desk.json("fingerprints", "add")
    #expect(second["name"]?.isNull == true)
    let id = try #require(second["id"]?.stringValue)
    let renamed = try await desk.json("fingerprints", "rename", id, "Index")
    #expect(renamed["id"]?.stringValue == id && renamed["name"]?.stringValue == "Index")
    let list = try await desk.json("fingerprints", "list").elements
    #expect(list?.map { $0["name"]?.stringValue } == ["Thumb", "Index"])
    let removed = try await desk.json("fingerprints", "remove", "Thumb", "--yes")
    #expect(removed.members?.map(\.name) == ["removed"])
    #expect(removed["removed"]?.stringValue == first["id"]?.stringValue)
    #expect(try desk.state.fingerprints.map(\.name) == ["Index"])
    #expect((desk.requests(.bioEnrollmentPreview) > 0) == isOld)
    #expect((desk.requests(.bioEnrollment) > 0) != isOld)
  }

  @Test("in words the list has a line for each, and the others say on stderr what they did")
  func words() async throws {
    let desk = try Self.desk()
    let none = try await desk.done("fingerprints", "list")
    #expect(none.output.isEmpty && none.error.hasSuffix("No fingerprint is enrolled.\n"))
    let added = try await desk.done("fingerprints", "add")
    let id = try #require(try desk.state.fingerprints.first?.id).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
    #expect(added.output.isEmpty && added.error.hasSuffix("The fingerprint was enrolled: \(id)  (no name).\n"))
    #expect(try await desk.done("fingerprints", "list").output == "\(id)  (no name)\n")
    let renamed = try await desk.done("fingerprints", "rename", id, "Thumb")
    #expect(renamed.error.hasSuffix("The fingerprint was renamed: \(id)  Thumb.\n"))
    let removed = try await desk.done("fingerprints", "remove", "Thumb", "--yes")
    #expect(removed.error.contains("The fingerprint \(id)  Thumb will be removed.\n"))
    #expect(removed.error.hasSuffix("The fingerprint was removed: \(id)  Thumb.\n"))
  }

  @Test("an enrolment that is cancelled between two samples is ended on the key too, and leaves no fingerprint")
  func cancelled() async throws {
    let desk = try Self.desk { $0.presence = .after(.milliseconds(20)) }
    let ending = try await Drive(usb: desk.source).run([
      "fingerprints", "add", "--key", "desk", "--pin-file", desk.scratch["pin"],
    ]) { event in
      event.name == "fingerSampled" && event["samplesLeft"]?.integerValue == 2 ? .cancel : .nothing
    }
    #expect(ending.status == .declined, "\(ending.lines)")
    #expect(try ending.events("fingerSampled").count < Authenticator.samplesForFingerprint)
    #expect(try desk.state.fingerprints.isEmpty)
    // The one that comes next needs all of its samples.
    try await desk.done("fingerprints", "add")
    let left = desk.port.log.compactMap { entry -> Int? in
      if case .fingerprintSample(_, let remaining) = entry.event { remaining } else { nil }
    }
    #expect(left.suffix(4) == [3, 2, 1, 0])
  }

  @Test("a finger that is enrolled stands in for the PIN, and the PIN for a finger that is not recognised")
  func finger() async throws {
    let desk = try Self.desk()
    try await desk.done("fingerprints", "add")
    let listed = await desk.run("credentials", "list")
    #expect(listed.status == .success && listed.error.contains("Verify yourself on your key now"), "\(listed.error)")
    #expect(desk.tokens.last?.permissions == .persistentCredentialManagementReadOnly)
    let wrong = try Self.desk { $0.verification = .fails }
    try await wrong.done("fingerprints", "add")
    let unknown = await wrong.run("credentials", "list")
    #expect(unknown.status == .pin && unknown.error.contains("--pin-file FILE or --pin-fd N"), "\(unknown.error)")
    try await wrong.done("credentials", "list")
  }

  @Test("a token for fingerprints can do nothing else")
  func scope() async throws {
    let desk = try Self.desk()
    try await desk.done("fingerprints", "list")
    try await desk.done("fingerprints", "add")
    #expect(desk.tokens == Array(repeating: .init(permissions: .bioEnrollment), count: 2))
  }

  @Test("a name that is not there, or that two have, is refused, and nothing is removed")
  func ambiguous() async throws {
    let desk = try Self.desk()
    for _ in 0..<2 { try await desk.done("fingerprints", "add", "--name", "Thumb") }
    let absent = await desk.run("fingerprints", "remove", "Index", "--yes", "--pin-file", desk.scratch["pin"])
    #expect(absent.status == .unavailable && absent.error.contains(#"no fingerprint with the ID or name "Index""#))
    let both = await desk.run("fingerprints", "remove", "Thumb", "--yes", "--pin-file", desk.scratch["pin"])
    #expect(both.status == .badRequest && both.error.contains(#"2 fingerprints have the name "Thumb""#))
    #expect(try desk.state.fingerprints.count == 2)
  }

  @Test("a name that is too long for the key is told before a finger is asked for")
  func longName() async throws {
    let desk = try Self.desk()
    try await desk.done("fingerprints", "add")
    let taken = desk.port.log.count
    let name = String(repeating: "é", count: 33)
    for words in [["add", "--name", name], ["rename", "0000", name]] {
      let ending = await desk.run(["fingerprints"] + words + ["--pin-file", desk.scratch["pin"]])
      #expect(ending.status != .success)
      #expect(ending.error.contains("66 bytes"), "\(ending.error)")
    }
    #expect(
      desk.port.log.dropFirst(taken).allSatisfy { if case .fingerprintSample = $0.event { false } else { true } })
  }

  @Test("a full sensor and a key without one are said, the latter before a PIN is asked for")
  func refused() async throws {
    let desk = try Self.desk()
    for _ in 0..<Authenticator.fingerprintCapacity { try await desk.done("fingerprints", "add") }
    let full = await desk.run("fingerprints", "add", "--pin-file", desk.scratch["pin"])
    #expect(full.status == .declined && full.error.contains("FP_DATABASE_FULL"), "\(full.error)")
    let plain = try KeyDesk()
    for words in [["list"], ["add"], ["rename", "a", "b"], ["remove", "a", "--yes"]] {
      let ending = await plain.run(["fingerprints"] + words)
      #expect(ending.status == .unavailable && ending.error.contains("has no fingerprint sensor."), "\(ending.error)")
    }
    #expect(plain.requests(.clientPIN) == 0)
  }
}
