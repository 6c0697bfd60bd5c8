import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import Testing

@testable import CTAP2

/// What becomes of a status byte.
enum StatusFate: Hashable {
  /// The command did what it was to do.
  case success
  /// `CTAP2Error.status` with the byte and the command.
  case status
  /// `CTAP2Error.verification` with what the byte stands for.
  case verification
  /// The answer cannot be the one to the command.
  case misfit
  /// The change may have been made.
  case uncertain
  /// A credential may exist.
  case mayExist
  /// The key was asked again until the time was up.
  case timeout
  /// The key does not offer this.
  case notOffered
  /// The same was tried by another command, which failed with this byte as well.
  case otherCommand
  /// Another error, by its name.
  case other(String)
}

/// A command, with its part where it has several, and how the session comes to send it.
struct SweptCommand: Sendable, CustomTestStringConvertible {
  let name: String
  let command: CTAPCommand
  /// The member that names the part of the command, and the part.
  var part: (member: CBORValue, value: CBORValue)?
  /// Whether it changes something on the key.
  var isChange = false
  /// Whether an answer without content is what it wants.
  var isAnsweredEmptily = false
  /// The bytes that mean something of their own here.
  var special: [UInt8: StatusFate] = [:]
  /// What differs in what the key says of itself.
  var prepare: @Sendable (PINKey) -> Void = { _ in }
  let run: @Sendable (KeySession, Wait) throws -> Void

  var testDescription: String { name }

  /// What the specification, and the rules of this host, make of a status byte.
  func fate(of status: UInt8) -> StatusFate {
    if let fate = special[status] { return fate }
    switch status {
    case 0x00: return isAnsweredEmptily ? .success : isChange ? .uncertain : .misfit
    // KEEPALIVE_CANCEL without a CANCEL is another request's answer.
    case 0x2d: return isChange ? .uncertain : .misfit
    case 0x31, 0x32, 0x34, 0x35, 0x37, 0x3c, 0x3f: return .verification
    default: return isChange && CTAPStatus(rawValue: status).category == .unknown ? .uncertain : .status
    }
  }
}

@Suite("Each status byte as the answer to each command")
struct StatusSweepTests {
  @Test("gives its typed error and its sentence", arguments: SweptCommand.all)
  func sweep(_ swept: SweptCommand) throws {
    for status in UInt8.min...UInt8.max {
      let (fate, words) = try Self.outcome(swept, status)
      #expect(fate == swept.fate(of: status), "\(swept.name), \(CTAPStatus(rawValue: status)): \(words)")
      guard fate != .success else { continue }
      #expect(words.first?.isUppercase == true && words.count > 10, "\(words)")
      if fate == .status { #expect(words.hasPrefix(CTAPStatus(rawValue: status).explanation)) }
    }
  }

  @Test("is tried for every command that there is, and for every part of one")
  func complete() {
    #expect(Set(SweptCommand.all.map(\.command)) == Set(CTAPCommand.allCases))
    #expect(Set(SweptCommand.all.map(\.name)).count == SweptCommand.all.count)
  }

  private static func outcome(_ swept: SweptCommand, _ status: UInt8) throws -> (StatusFate, String) {
    let pin = try PINKey()
    pin.key.info.options = [
      "rk": true, "clientPin": true, "pinUvAuthToken": true, "credMgmt": true, "bioEnroll": true, "authnrCfg": true,
      "alwaysUv": false, "ep": false, "setMinPINLength": true,
    ]
    swept.prepare(pin)
    let session = try pin.key.session()
    if swept.command != .getInfo { _ = try session.getInfo(pin.key.wait()) }
    let usual = pin.key.answer
    pin.key.answer = { request in
      guard request.command == swept.command else { return try usual(request) }
      if let part = swept.part, request.parameters?.mapValue?[part.member] != part.value { return try usual(request) }
      return .answer([status])
    }
    do {
      try swept.run(session, pin.key.wait())
      return (.success, "")
    } catch let error as CTAP2Error {
      return (fate(error, status, swept), "\(error)")
    }
  }

  private static func fate(_ error: CTAP2Error, _ status: UInt8, _ swept: SweptCommand) -> StatusFate {
    switch error {
    case .status(let found, swept.command) where found.rawValue == status: .status
    case .verification(let failure) where failure.status.rawValue == status: .verification
    case .misfit(_, swept.command): .misfit
    case .changeUncertain: .uncertain
    case .credentialMayExist: .mayExist
    case .hid(.timeout): .timeout
    case .notOffered: .notOffered
    case .status(let found, _) where found.rawValue == status: .otherCommand
    default: .other("\(error)")
    }
  }
}
