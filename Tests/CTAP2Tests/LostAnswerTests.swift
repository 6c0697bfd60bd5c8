import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Testing

@testable import CTAP2

/// A change, and how to make it.
struct TriedChange: Sendable, CustomTestStringConvertible {
  let kind: KeyChange
  let command: CTAPCommand
  let make: @Sendable (KeySession, Wait) throws -> Void

  var testDescription: String { "\(kind)" }

  static let token = try? PINKey.token(.two, permissions: [])

  /// Every change that there is.
  static let all: [TriedChange] = [
    TriedChange(kind: .setPIN, command: .clientPIN) { try $0.setPIN(PINChangeTests.secret("1234"), $1) },
    TriedChange(kind: .changePIN, command: .clientPIN) {
      try $0.changePIN(from: PINChangeTests.secret("1234"), to: PINChangeTests.secret("5678"), $1)
    },
    TriedChange(kind: .deleteCredential, command: .credentialManagement) {
      try $0.deleteCredential(CredentialDescriptor(id: [1]), CredentialKey.token(), $1)
    },
    TriedChange(kind: .updateUser, command: .credentialManagement) {
      try $0.updateUser(UserEntity(id: [1]), of: CredentialDescriptor(id: [1]), CredentialKey.token(), $1)
    },
    TriedChange(kind: .enrollFingerprint, command: .bioEnrollment) {
      _ = try $0.enrollFingerprint(CredentialKey.token(), $1)
    },
    TriedChange(kind: .nameFingerprint, command: .bioEnrollment) {
      try $0.nameFingerprint([1], "thumb", CredentialKey.token(), $1)
    },
    TriedChange(kind: .removeFingerprint, command: .bioEnrollment) {
      try $0.removeFingerprint([1], CredentialKey.token(), $1)
    },
    TriedChange(kind: .alwaysUv, command: .config) { try $0.setAlwaysUv(true, nil, $1) },
    TriedChange(kind: .setting, command: .config) { try $0.enableEnterpriseAttestation(nil, $1) },
    TriedChange(kind: .reset, command: .reset) { try $0.reset($1) },
  ]
}

@Suite("A change whose answer is lost")
struct LostAnswerTests {
  /// A key that knows everything and answers changes as a test decides.
  private static func key(_ change: TriedChange, _ reaction: @escaping @Sendable () -> DeviceTransport.Reaction) throws
    -> FakeKey
  {
    let pin = try PINKey()
    let key = pin.key
    key.info.options = [
      "clientPin": true, "pinUvAuthToken": true, "credMgmt": true, "bioEnroll": true, "authnrCfg": true,
      "alwaysUv": false, "ep": false,
    ]
    key.answer = { request in
      guard let parameters = request.parameters, request.command == .clientPIN else {
        return request.command == change.command ? reaction() : nil
      }
      let asked = try ClientPINRequest(cbor: parameters)
      if asked.subCommand == .getKeyAgreement {
        return .ok(ClientPINResponse(keyAgreement: .keyAgreement(x: pin.pair.x, y: pin.pair.y)))
      }
      return reaction()
    }
    return key
  }

  /// How often the change itself was sent.
  private static func sendings(_ change: TriedChange, _ key: FakeKey) -> Int {
    key.requests.count { request in
      guard request.command == change.command else { return false }
      switch change.command {
      // What ends an enrolment is no enrolment, and a key agreement no change.
      case .bioEnrollment: return request.parameters?.mapValue?[2] != 3
      case .clientPIN: return request.parameters?.mapValue?[2] != 2
      default: return true
      }
    }
  }

  private static func check(
    _ change: TriedChange, _ key: FakeKey, _ wait: Wait? = nil, _ isExpected: @escaping (CTAP2Error) -> Bool
  ) throws {
    let session = try key.session()
    #expect {
      try change.make(session, wait ?? key.wait())
    } throws: { error in
      guard case .changeUncertain(let kind, let cause) = error as? CTAP2Error else { return false }
      #expect("\(error)".contains(kind.uncertainty))
      return kind == change.kind && isExpected(cause)
    }
    #expect(sendings(change, key) == 1)
  }

  @Test("is not sent again after silence, and the error says what may have happened", arguments: TriedChange.all)
  func silent(_ change: TriedChange) throws {
    let key = try Self.key(change) { .answer([], after: .seconds(3600)) }
    key.ignoresCancel = true
    try Self.check(change, key, key.wait(.seconds(3))) { $0.isTimeout || !$0.isCancellation }
  }

  @Test(
    "is not sent again after an ERROR frame, which could have come in the place of its answer",
    arguments: TriedChange.all,
    [CTAPHIDErrorCode.channelBusy, .invalidSequence, .messageTimeout, .invalidCommand, .other])
  func errorFrame(_ change: TriedChange, _ code: CTAPHIDErrorCode) throws {
    let key = try Self.key(change) { .refuse(code) }
    try Self.check(change, key) { if case .hid(.errorFrame(code, _)) = $0 { true } else { false } }
  }

  @Test("is not sent again after an answer that does not fit", arguments: TriedChange.all)
  func misfit(_ change: TriedChange) throws {
    let key = try Self.key(change) { .answer([0x00, 0xa1, 0x18, 0x63, 0x01, 0x02]) }
    try Self.check(change, key) { if case .misfit = $0 { true } else { false } }
  }

  @Test("is certain not to have been made where the key does not know the command", arguments: TriedChange.all)
  func unknown(_ change: TriedChange) throws {
    let key = try Self.key(change) { .status(.invalidCommand) }
    let session = try key.session()
    #expect(throws: CTAP2Error.status(.invalidCommand, change.command)) { try change.make(session, key.wait()) }
  }

  @Test(
    "may have been made where the key answers with a status that no specification explains",
    arguments: TriedChange.all, [0x20, 0x80, 0xdd] as [UInt8])
  func unexplained(_ change: TriedChange, _ status: UInt8) throws {
    let key = try Self.key(change) { .status(CTAPStatus(rawValue: status)) }
    try Self.check(change, key) { $0.status?.rawValue == status }
  }

  @Test("is sent again by nobody after a status that says the key was busy", arguments: TriedChange.all)
  func busyStatus(_ change: TriedChange) throws {
    let key = try Self.key(change) { .status(.channelBusy) }
    let session = try key.session()
    #expect(throws: CTAP2Error.status(.channelBusy, change.command)) { try change.make(session, key.wait()) }
    #expect(Self.sendings(change, key) == 1)
  }

  @Test("tells how it was lost", arguments: KeyChange.allCases)
  func words(_ change: KeyChange) {
    let error = CTAP2Error.changeUncertain(change, cause: .hid(.cancelled(mayHaveBeenTaken: true)))
    #expect(error.isCancellation && !error.isTimeout && !error.isUnplugged && !error.mayHaveCreated)
    #expect(error.description == "The operation was cancelled. \(change.uncertainty)")
    let unplugged = CTAP2Error.hid(.transport(.unplugged, mayHaveBeenTaken: true))
    #expect(CTAP2Error.changeUncertain(change, cause: unplugged).isUnplugged)
  }

  @Test("\"always verify\" is looked at again where its answer was lost, and is no error where it was switched")
  func alwaysUv() throws {
    let key = FakeKey(options: ["authnrCfg": true, "alwaysUv": false])
    key.answer = { request in
      guard request.command == .config else { return nil }
      key.info.options?["alwaysUv"] = true
      return .refuse(.channelBusy)
    }
    #expect(try key.session().setAlwaysUv(true, nil, key.wait()))
    #expect(key.commands == [.getInfo, .config, .getInfo])
  }
}

@Suite("A vendor's command")
struct VendorCommandTests {
  @Test("goes to the key as it is, and its answer comes back as it is", arguments: [0x40, 0x55, 0x7f] as [UInt8])
  func passes(number: UInt8) throws {
    let key = FakeKey()
    key.answerBelow = { command, payload in .answer([command.rawValue] + payload.reversed()) }
    #expect(try key.session().vendorCommand(number, [1, 2, 3], key.wait()) == [number, 3, 2, 1])
  }

  @Test("has a number that belongs to vendors", arguments: [0x00, 0x10, 0x3f, 0x80, 0xff] as [UInt8])
  func otherNumbers(number: UInt8) throws {
    let key = FakeKey()
    let session = try key.session()
    #expect {
      try session.vendorCommand(number, [], key.wait())
    } throws: { error in
      if case .notOffered = error as? CTAP2Error { true } else { false }
    }
  }

  @Test("is sent once, whatever comes of it")
  func once() throws {
    let key = FakeKey()
    nonisolated(unsafe) var count = 0
    key.answerBelow = { _, _ in
      count += 1
      return .refuse(.channelBusy)
    }
    let session = try key.session()
    #expect {
      try session.vendorCommand(0x41, [1], key.wait())
    } throws: { error in
      if case .changeUncertain(.vendorCommand, _) = error as? CTAP2Error { true } else { false }
    }
    #expect(count == 1)
    key.answerBelow = { _, _ in .refuse(.invalidCommand) }
    #expect(throws: CTAP2Error.hid(.errorFrame(.invalidCommand, mayHaveBeenTaken: false))) {
      try session.vendorCommand(0x41, [1], key.wait())
    }
  }
}
