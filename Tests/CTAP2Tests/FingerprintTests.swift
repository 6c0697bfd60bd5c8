import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import Octets
import Synchronization
import Testing
import Timing

@testable import CTAP2

/// The fingerprint half of a fake key.
private final class FingerKey {
  let key: FakeKey
  var command = CTAPCommand.bioEnrollment
  var templates: [FingerprintTemplate] = []
  /// What comes of the samples, in order; then the key says that they are good.
  var feedback: [EnrollSampleStatus] = []
  var needed = 3
  /// What it does in place of its work, by the number of the request from 1.
  var interference: [Int: DeviceTransport.Reaction] = [:]
  private(set) var seen: [BioEnrollmentRequest] = []

  init(preview: Bool = false) {
    key = FakeKey(options: [preview ? "userVerificationMgmtPreview" : "bioEnroll": false, "pinUvAuthToken": true])
    if preview { command = .bioEnrollmentPreview }
    key.answer = { [unowned self] request in
      guard request.command == .bioEnrollment || request.command == .bioEnrollmentPreview else { return nil }
      guard request.command == self.command, let parameters = request.parameters else {
        return .status(.invalidCommand)
      }
      return try self.react(try BioEnrollmentRequest(cbor: parameters))
    }
  }

  static func token() throws -> PINUVAuthToken { try PINKey.token(.two, permissions: .bioEnrollment) }

  private func react(_ request: BioEnrollmentRequest) throws -> DeviceTransport.Reaction {
    seen.append(request)
    if let reaction = interference[seen.count] { return reaction }
    var response = BioEnrollmentResponse()
    if request.getModality == true {
      response.modality = 1
      return .ok(response)
    }
    let needsNoProof = [.getFingerprintSensorInfo, .cancelCurrentEnrollment].contains(request.subCommand)
    let proof = needsNoProof ? nil : try Self.token().authenticate(request.authenticatedBytes)
    guard request.modality == 1, request.pinUvAuthParam == proof else { return .status(.pinAuthInvalid) }
    switch request.subCommand {
    case .getFingerprintSensorInfo:
      response.fingerprintKind = 1
      response.maxCaptureSamplesRequiredForEnroll = 5
      response.maxTemplateFriendlyName = 20
      return .ok(response)
    case .enumerateEnrollments:
      guard !templates.isEmpty else { return .status(.invalidOption) }
      response.templateInfos = templates
      return .ok(response)
    case .enrollBegin, .enrollCaptureNextSample:
      let status = feedback.isEmpty ? .good : feedback.removeFirst()
      if status == .good { needed -= 1 }
      response.templateID = request.subCommand == .enrollBegin ? [7, 7] : nil
      response.lastEnrollSampleStatus = status
      response.remainingSamples = needed
      if needed == 0 { templates.append(FingerprintTemplate(templateID: [7, 7])) }
      return .ok(response, after: .milliseconds(800), touch: true)
    case .cancelCurrentEnrollment: return .ok
    case .setFriendlyName, .removeEnrollment:
      let id = request.subCommandParams?.templateID
      guard let index = templates.firstIndex(where: { $0.templateID == id }) else { return .status(.invalidOption) }
      if request.subCommand == .removeEnrollment {
        templates.remove(at: index)
      } else {
        templates[index].templateFriendlyName = request.subCommandParams?.templateFriendlyName
      }
      return .ok
    default: return .status(.invalidSubcommand)
    }
  }

  var subCommands: [BioEnrollmentSubcommand?] { seen.map(\.subCommand) }
}

@Suite("Fingerprints")
struct FingerprintTests {
  @Test("are enrolled, listed, named and removed, in the final form and in the preview's", arguments: [false, true])
  func all(preview: Bool) throws {
    let fake = FingerKey(preview: preview)
    let session = try fake.key.session()
    let token = try FingerKey.token()
    #expect(try session.bioModality(fake.key.wait()) == 1)
    let sensor = try session.fingerprintSensor(fake.key.wait())
    #expect(sensor == FingerprintSensor(kind: .touch, maximumSamples: 5, maximumNameLength: 20))
    #expect(try session.fingerprints(token, fake.key.wait()).isEmpty)
    fake.feedback = [.good, .tooFast, .good]
    var samples: [FingerprintSample] = []
    let touches = Seen()
    var wait = fake.key.wait()
    wait.onKeepAlive = { touches.add($0) }
    let id = try session.enrollFingerprint(token, wait) { samples.append($0) }
    #expect(id == [7, 7])
    #expect(samples.map(\.status) == [.good, .tooFast, .good, .good])
    #expect(samples.map(\.remaining) == [2, 2, 1, 0])
    #expect(touches.all.contains(.userPresenceNeeded))
    try session.nameFingerprint(id, "thumb", token, fake.key.wait())
    #expect(
      try session.fingerprints(token, fake.key.wait()) == [
        FingerprintTemplate(templateID: id, templateFriendlyName: "thumb")
      ])
    try session.removeFingerprint(id, token, fake.key.wait())
    #expect(throws: CTAP2Error.status(.invalidOption, fake.command)) {
      try session.removeFingerprint(id, token, fake.key.wait())
    }
    #expect(fake.templates.isEmpty && !fake.subCommands.contains(.cancelCurrentEnrollment))
  }

  @Test("are asked for in the preview's form where the key announces the final one and does not know it")
  func misannounced() throws {
    let fake = FingerKey()
    fake.command = .bioEnrollmentPreview
    let session = try fake.key.session()
    _ = try session.enrollFingerprint(FingerKey.token(), fake.key.wait())
    #expect(fake.key.commands.count { $0 == .bioEnrollment } == 1 && fake.templates.count == 1)
  }

  @Test("are not asked for on a key without a sensor")
  func notOffered() throws {
    let key = FakeKey()
    #expect(throws: CTAP2Error.notOffered("fingerprints")) { try key.session().fingerprintSensor(key.wait()) }
    #expect(key.commands == [.getInfo])
  }

  @Test("can be given up at any moment: the key is told, and the enrolment ends there", arguments: 0..<3)
  func cancelled(after count: Int) throws {
    let fake = FingerKey()
    fake.interference[count + 1] = .work(status: .userPresenceNeeded)
    let session = try fake.key.session()
    let cancellation = Cancellation()
    var wait = fake.key.wait(.seconds(60), cancellation)
    let samples = Mutex(0)
    wait.onKeepAlive = { _ in if samples.withLock({ $0 }) == count { cancellation.cancel() } }
    #expect {
      try session.enrollFingerprint(FingerKey.token(), wait) { _ in samples.withLock { $0 += 1 } }
    } throws: { ($0 as? CTAP2Error)?.isCancellation == true || ($0 as? CTAP2Error)?.status == .keepAliveCancel }
    #expect(fake.key.cancellations == 1)
    #expect(fake.subCommands.last == .cancelCurrentEnrollment)
    #expect(fake.templates.isEmpty)
  }

  @Test(
    "end with the key's own word where it has no room or nobody comes",
    arguments: [
      CTAPStatus.fingerprintDatabaseFull, .userActionTimeout, .pinAuthInvalid,
    ])
  func refused(status: CTAPStatus) throws {
    let fake = FingerKey()
    fake.interference[2] = .status(status)
    let session = try fake.key.session()
    #expect(throws: CTAP2Error.status(status, .bioEnrollment)) {
      try session.enrollFingerprint(FingerKey.token(), fake.key.wait())
    }
    #expect(fake.subCommands.last == .cancelCurrentEnrollment)
  }

  @Test("may have been enrolled where the answer to what can be the last sample is lost, and not before")
  func lost() throws {
    for (number, isUncertain) in [(1, true), (2, false), (3, true)] {
      let fake = FingerKey()
      fake.interference[number] = .refuse(.other)
      let session = try fake.key.session()
      #expect {
        try session.enrollFingerprint(FingerKey.token(), fake.key.wait())
      } throws: { error in
        if case .changeUncertain(.enrollFingerprint, _) = error as? CTAP2Error { isUncertain } else { !isUncertain }
      }
    }
  }

  @Test("are given up where the key wants samples for ever")
  func forEver() throws {
    let fake = FingerKey()
    fake.needed = .max
    let session = try fake.key.session()
    #expect(throws: CTAP2Error.misfit("it wants more than 128 samples", .bioEnrollment)) {
      try session.enrollFingerprint(FingerKey.token(), fake.key.wait(.seconds(3600)))
    }
    #expect(fake.subCommands.count == 129 && fake.subCommands.last == .cancelCurrentEnrollment)
  }

  @Test("are listed up to a bound, each with an identifier", arguments: [257, 0])
  func bounds(count: Int) throws {
    let fake = FingerKey()
    fake.templates = (0..<count).map { FingerprintTemplate(templateID: [UInt8($0 & 0xff), 1]) }
    if count == 0 { fake.templates = [FingerprintTemplate(templateID: [])] }
    #expect {
      try fake.key.session().fingerprints(FingerKey.token(), fake.key.wait())
    } throws: { error in
      if case .misfit = error as? CTAP2Error { true } else { false }
    }
  }

  @Test(
    "take the time for a sample in milliseconds",
    arguments: [
      (Duration.milliseconds(1500), 1500), (.seconds(100_000), 3_600_000),
    ])
  func timeout(time: Duration, milliseconds: Int) throws {
    let fake = FingerKey()
    _ = try fake.key.session().enrollFingerprint(FingerKey.token(), sampleTimeout: time, fake.key.wait())
    #expect(fake.seen.map(\.subCommandParams?.timeoutMilliseconds) == [milliseconds, milliseconds, milliseconds])
    #expect(fake.seen.map(\.subCommandParams?.templateID) == [nil, [7, 7], [7, 7]])
  }
}
