import BridgeTestSupport
import CTAPMessages
import Testing
import Timing

@testable import VirtualKey

@Suite("bioEnrollment")
struct FingerprintTests {
  /// The command and its preview, each with the option that announces it.
  static let forms: [(CTAPCommand, String)] = [
    (.bioEnrollment, "bioEnroll"), (.bioEnrollmentPreview, "userVerificationMgmtPreview"),
  ]

  private static func configuration(
    _ option: String = "bioEnroll", _ samples: [EnrollSampleStatus] = [], presence: PresencePolicy = .auto
  ) -> VirtualKeyConfiguration {
    var configuration = VirtualKeyConfiguration.with(
      options: [option: false, "uv": false], pin: "1234", presence: presence)
    configuration.fingerprints = FingerprintPolicy(samples: samples)
    return configuration
  }

  private func host(_ key: TestKey) throws -> PINHost {
    let host = try PINHost(key)
    try host.obtain(host.token("1234", .bioEnrollment, rpID: nil))
    return host
  }

  private func capture(_ id: [UInt8], timeout: Int? = nil) -> BioEnrollmentRequest {
    BioEnrollmentRequest(
      .enrollCaptureNextSample, BioEnrollmentParameters(templateID: id, timeoutMilliseconds: timeout))
  }

  /// Enrols a finger; the samples' statuses in order.
  @discardableResult private func enrol(_ key: TestKey, _ host: PINHost, _ command: CTAPCommand = .bioEnrollment) throws
    -> (id: [UInt8], samples: [EnrollSampleStatus?])
  {
    var answer: BioEnrollmentResponse = try key.answer(command, host.signed(BioEnrollmentRequest(.enrollBegin)))
    let id = try #require(answer.templateID)
    var samples = [answer.lastEnrollSampleStatus]
    while answer.remainingSamples != 0 {
      try #require(samples.count < 30)
      answer = try key.answer(command, host.signed(capture(id)))
      samples.append(answer.lastEnrollSampleStatus)
    }
    return (id, samples)
  }

  private func list(_ key: TestKey, _ host: PINHost, _ command: CTAPCommand = .bioEnrollment) throws
    -> [FingerprintTemplate]
  {
    let answer: BioEnrollmentResponse = try key.answer(
      command, host.signed(BioEnrollmentRequest(.enumerateEnrollments)))
    return answer.templateInfos ?? []
  }

  @Test("the sensor describes itself without a token")
  func sensor() throws {
    let key = try TestKey(Self.configuration())
    let modality: BioEnrollmentResponse = try key.answer(.bioEnrollment, BioEnrollmentRequest.modalityRequest)
    #expect(modality.modality == 1)
    let sensor: BioEnrollmentResponse = try key.answer(
      .bioEnrollment, BioEnrollmentRequest(.getFingerprintSensorInfo))
    #expect(sensor.fingerprintKind == 1)
    #expect(sensor.maxCaptureSamplesRequiredForEnroll == 4)
    #expect(sensor.maxTemplateFriendlyName == 64)
  }

  @Test("an enrolment is four samples, after which the key verifies its user by itself", arguments: forms)
  func enrolment(_ command: CTAPCommand, _ option: String) throws {
    let store = MemoryStore()
    let key = try TestKey(Self.configuration(option), store: store)
    #expect(try key.info().options?["\(option)"] == false)
    #expect(try key.info().options?[.uv] == false)
    let host = try host(key)
    let (id, samples) = try enrol(key, host, command)
    #expect(samples == [.good, .good, .good, .good])
    #expect(key.touches == 4)
    #expect(key.events.contains(.fingerprintEnrolled(id: id)))
    for key in [key, try TestKey(Self.configuration(option), store: store)] {
      #expect(try key.info().options?["\(option)"] == true)
      #expect(try key.info().options?[.uv] == true)
      let host = try PINHost(key)
      try host.obtain(host.uvToken())
      #expect(try key.make(host.signed(.sample())).authData.flags.contains(.userVerified))
    }
  }

  @Test("a sample that is not good says why and counts for nothing")
  func feedback() throws {
    let policy: [EnrollSampleStatus] = [.tooFast, .good, .mergeFailure]
    let key = try TestKey(Self.configuration("bioEnroll", policy))
    let (_, samples) = try enrol(key, host(key))
    #expect(
      samples == [
        .tooFast, .good, .mergeFailure, .tooFast, .good, .mergeFailure, .tooFast, .good, .mergeFailure, .tooFast, .good,
      ])
    #expect(key.events.contains(.fingerprintSample(.mergeFailure, remaining: 3)))
  }

  @Test("a finger that does not come is feedback, in the time that the host gives")
  func timeout() throws {
    let key = try TestKey(Self.configuration(presence: .never))
    let begin = BioEnrollmentRequest(.enrollBegin, BioEnrollmentParameters(timeoutMilliseconds: 3000))
    let host = try host(key)
    let before = key.clock.now
    let answer: BioEnrollmentResponse = try key.answer(.bioEnrollment, host.signed(begin))
    #expect(answer.lastEnrollSampleStatus == .noUserActivity)
    #expect(answer.remainingSamples == 4)
    #expect(key.clock.now == before + Duration.seconds(3))
    #expect(key.keepAlives.allSatisfy { $0.status == 2 } && key.keepAlives.count > 10)
    let id = try #require(answer.templateID)
    let next: BioEnrollmentResponse = try key.answer(.bioEnrollment, host.signed(capture(id, timeout: 1000)))
    #expect(next.lastEnrollSampleStatus == .noUserActivity)
  }

  @Test("an enrolment that is cancelled, begun anew or without power leaves nothing")
  func unfinished() throws {
    for ending in 0..<3 {
      let key = try TestKey(Self.configuration())
      let host = try host(key)
      let begun: BioEnrollmentResponse = try key.answer(
        .bioEnrollment, host.signed(BioEnrollmentRequest(.enrollBegin)))
      let id = try #require(begun.templateID)
      switch ending {
      case 0: #expect(try key.status(.bioEnrollment, BioEnrollmentRequest(.cancelCurrentEnrollment)) == .ok)
      case 1: #expect(try key.status(.bioEnrollment, host.signed(BioEnrollmentRequest(.enrollBegin))) == .ok)
      default:
        try key.powerCycle()
        try host.agree()
        try host.obtain(host.token("1234", .bioEnrollment, rpID: nil))
      }
      #expect(try key.status(.bioEnrollment, host.signed(capture(id))) == .notAllowed)
      #expect(
        try key.status(.bioEnrollment, host.signed(BioEnrollmentRequest(.enumerateEnrollments))) == .invalidOption)
      #expect(try key.info().options?[.bioEnroll] == false)
    }
  }

  @Test(
    "fingerprints are listed, named and removed; without one the key no longer verifies by itself", arguments: forms)
  func management(_ command: CTAPCommand, _ option: String) throws {
    let key = try TestKey(Self.configuration(option))
    let host = try host(key)
    let (first, second) = (try enrol(key, host, command).id, try enrol(key, host, command).id)
    #expect(try list(key, host, command).map(\.templateID) == [first, second])
    func name(_ id: [UInt8], _ name: String) -> BioEnrollmentRequest {
      host.signed(
        BioEnrollmentRequest(
          .setFriendlyName, BioEnrollmentParameters(templateID: id, templateFriendlyName: name)))
    }
    func remove(_ id: [UInt8]) -> BioEnrollmentRequest {
      host.signed(BioEnrollmentRequest(.removeEnrollment, BioEnrollmentParameters(templateID: id)))
    }
    #expect(try key.status(command, name(second, "Left thumb")) == .ok)
    #expect(try list(key, host, command).map(\.templateFriendlyName) == [nil, "Left thumb"])
    #expect(try key.status(command, name(second, String(repeating: "ä", count: 33))) == .invalidLength)
    #expect(try key.status(command, name([9, 9, 9], "x")) == .invalidOption)
    #expect(try key.status(command, remove(first)) == .ok)
    #expect(key.events.contains(.fingerprintRemoved(id: first)))
    #expect(try key.status(command, remove(first)) == .invalidOption)
    #expect(try list(key, host, command).map(\.templateFriendlyName) == ["Left thumb"])
    #expect(try key.info().options?[.uv] == true)
    #expect(try key.status(command, remove(second)) == .ok)
    #expect(try key.info().options?[.uv] == false)
  }

  @Test("there is room for five")
  func full() throws {
    let key = try TestKey(Self.configuration())
    let host = try host(key)
    for _ in 0..<5 { try enrol(key, host) }
    #expect(try key.status(.bioEnrollment, host.signed(BioEnrollmentRequest(.enrollBegin))) == .fingerprintDatabaseFull)
    #expect(try list(key, host).count == 5)
  }

  @Test("no two have the same identifier, whatever is drawn")
  func identifiers() {
    #expect(Authenticator.fingerprintID([1, 254], unlike: []) == [1, 254])
    #expect(Authenticator.fingerprintID([1, 254], unlike: [[1, 254], [1, 255], [2, 0]]) == [1, 0])
  }

  @Test("a reset removes the fingerprints")
  func reset() throws {
    let key = try TestKey(Self.configuration())
    try enrol(key, host(key))
    try key.powerCycle()
    #expect(try key.status(.reset) == .ok)
    #expect(try key.info().options?[.bioEnroll] == false)
  }

  @Test(
    "without the permission nothing is told or changed",
    arguments: [
      BioEnrollmentSubcommand.enrollBegin, .enrollCaptureNextSample, .enumerateEnrollments, .setFriendlyName,
      .removeEnrollment,
    ])
  func refused(_ subCommand: BioEnrollmentSubcommand) throws {
    let key = try TestKey(Self.configuration())
    let id = try enrol(key, host(key)).id
    let request = BioEnrollmentRequest(
      subCommand, BioEnrollmentParameters(templateID: id, templateFriendlyName: "x"))
    let before = try key.store.load()
    #expect(try key.status(.bioEnrollment, request) == .puatRequired)
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    #expect(try key.status(.bioEnrollment, host.signed(request)) == .pinAuthInvalid)
    #expect(try key.store.load() == before)
    #expect(try TestKey(.with(pin: "1234")).status(.bioEnrollment, request) == .invalidCommand)
  }

  @Test("another modality, no modality and no subcommand are refused")
  func malformed() throws {
    let key = try TestKey(Self.configuration())
    #expect(
      try key.status(.bioEnrollment, BioEnrollmentRequest(.enumerateEnrollments, modality: 2)) == .unsupportedOption)
    #expect(
      try key.status(.bioEnrollment, BioEnrollmentRequest(.enumerateEnrollments, modality: nil)) == .missingParameter)
    #expect(try key.status(.bioEnrollment, BioEnrollmentRequest(nil)) == .missingParameter)
    #expect(
      try key.status(.bioEnrollment, BioEnrollmentRequest(BioEnrollmentSubcommand(rawValue: 0x55)))
        == .invalidSubcommand)
  }
}
