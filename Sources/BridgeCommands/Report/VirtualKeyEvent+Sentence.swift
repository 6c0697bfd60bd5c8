import CTAPHID
import CTAPMessages
import Octets
import VirtualKey
import WebAuthnClient

extension VirtualKeyEvent {
  /// Whether a person who has the key before them wants to know.
  var isNotable: Bool {
    switch self {
    case .poweredUp, .initialised, .replied, .command, .answered, .u2fCommand, .u2fAnswered: false
    default: true
    }
  }

  /// The event in a few words.
  var sentence: String {
    switch self {
    case .poweredUp: "powered up"
    case .unplugged: "unplugged"
    case .initialised(let channel): "INIT on channel \(hex(channel))"
    case .replied(let command, let channel): "\(command) on channel \(hex(channel))"
    case .refused(let code, let channel): "refused with \(code) on channel \(hex(channel))"
    case .command(let command, let channel, let size):
      "\(name(command)) of \(size) bytes on channel \(hex(channel))"
    case .answered(let command, let status, let size): "\(name(command)) ended with \(status.name), \(size) bytes"
    case .u2fCommand(let instruction, let channel, let size):
      "\(u2fName(instruction)) of \(size) bytes on channel \(hex(channel))"
    case .u2fAnswered(let instruction, let status, let size):
      "\(u2fName(instruction)) ended with \(status), \(size) bytes"
    case .touchAsked(let command): "waits for a touch (\(command))"
    case .touched: "touched"
    case .touchDeclined: "touch declined"
    case .touchTimedOut: "no touch came in time"
    case .idleTouch: "touched, and nothing was waiting for it"
    case .cancelled(let command): "CANCEL ended \(name(command))"
    case .winked: "winks"
    case .credentialMade(let rpID, let id, let isResident):
      "made a \(isResident ? "resident " : "")credential for \(RelyingPartyID.shown(rpID)): \(short(id))"
    case .u2fRegistered(let application, let id):
      "made a U2F credential for the application \(short(application)): \(short(id))"
    case .credentialReplaced(let rpID, let id): "replaced a credential for \(RelyingPartyID.shown(rpID)): \(short(id))"
    case .credentialDeleted(let rpID, let id): "deleted a credential for \(RelyingPartyID.shown(rpID)): \(short(id))"
    case .credentialUpdated(let rpID, let id):
      "renamed the account of a credential for \(RelyingPartyID.shown(rpID)): \(short(id))"
    case .signed(let rpID, let id, let counter):
      "signed for \(RelyingPartyID.shown(rpID)) with \(short(id)), counter \(counter)"
    case .u2fSigned(let application, let id, let counter, let isPresent):
      "signed by U2F for the application \(short(application)) with \(short(id)), counter \(counter)"
        + (isPresent ? "" : ", without a touch")
    case .pinTry(let retriesLeft): "compares a PIN, \(retriesLeft) tries left"
    case .pinRight: "the PIN is right"
    case .pinSet: "a PIN was set"
    case .verificationTry(let isRight, let retriesLeft):
      "user verification \(isRight ? "succeeded" : "failed"), \(retriesLeft) tries left"
    case .tokenGiven(_, let rpID): "gave out a token" + (rpID.map { " for \(RelyingPartyID.shown($0))" } ?? "")
    case .configured(let setting): "changed the setting \(setting.rawValue)"
    case .fingerprintSample(let status, let remaining):
      "a sample of a finger (\(status.explanation)) \(remaining) more to come"
    case .fingerprintEnrolled(let id): "enrolled the fingerprint \(short(id))"
    case .fingerprintRemoved(let id): "removed the fingerprint \(short(id))"
    case .largeBlobsWritten(let array): "keeps a large-blob array of \(array.count) bytes"
    case .wasReset: "was reset"
    }
  }

  private func name(_ command: UInt8) -> String {
    CTAPCommand(rawValue: command).map { "\($0)" } ?? "command \(Hex.encode([command]))"
  }

  private func u2fName(_ instruction: UInt8) -> String {
    switch instruction {
    case U2FInstruction.register: "U2F register"
    case U2FInstruction.authenticate: "U2F authenticate"
    case U2FInstruction.version: "U2F version"
    default: "U2F instruction \(Hex.encode([instruction]))"
    }
  }

  private func short(_ id: [UInt8]) -> String { Hex.encode(id.prefix(8)) + (id.count > 8 ? "…" : "") }

  private func hex(_ channel: ChannelID) -> String {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: channel.rawValue)
    return Hex.encode(bytes)
  }
}
