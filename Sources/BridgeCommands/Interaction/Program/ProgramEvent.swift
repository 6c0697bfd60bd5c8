import CTAPHID
import CTAPMessages
import JSONText
import Octets
import WebAuthnClient

/// What a program is told, one line each; `docs/interaction.schema.json` describes them.
enum ProgramEvent: Sendable {
  /// The version of the schema: it changes when something that programs rely on does.
  static let version = 1

  case hello
  case ceremony(CeremonyEvent)
  case touchOver(KeyDescription)
  case pinNeeded(Int, PINRequest)
  case newPINNeeded(Int, NewPINRequest)
  case nameNeeded(Int, AuthenticatorInfo)
  case accountNeeded(Int, AccountRequest)
  case confirmationNeeded(Int, ConfirmationRequest)
  /// A virtual key asks to be touched.
  case virtualTouchNeeded(Int, relyingPartyID: String?)
  case questionOver(Int)
  case answerRefused(Int?, reason: String)
  case note(String)
  case done
  case error(CommandFailure)

  /// The line, without its line feed, made fit for a terminal too.
  var line: String {
    let object = JSONOutput.object([("event", .string(name))] + members)
    return PlainText.shownJSON(String(decoding: object.serialized(pretty: false), as: UTF8.self))
  }

  private var name: String {
    switch self {
    case .hello: "hello"
    case .ceremony(let event): event.name
    case .touchOver: "touchOver"
    case .pinNeeded: "pinNeeded"
    case .newPINNeeded: "newPINNeeded"
    case .nameNeeded: "nameNeeded"
    case .accountNeeded: "accountNeeded"
    case .confirmationNeeded: "confirmationNeeded"
    case .virtualTouchNeeded: "virtualTouchNeeded"
    case .questionOver: "questionOver"
    case .answerRefused: "answerRefused"
    case .note: "note"
    case .done: "done"
    case .error: "error"
    }
  }

  private var members: [(String, JSONOutput)] {
    switch self {
    case .hello: [("version", .int(Self.version)), ("tool", .string("ctap-bridge \(ToolHelp.version)"))]
    case .ceremony(let event): event.members
    case .touchOver(let key): [("key", key.json)]
    case .pinNeeded(let id, let request): [("id", .int(id))] + request.members
    case .newPINNeeded(let id, let request): [("id", .int(id))] + request.members
    case .nameNeeded(let id, let key):
      [("id", .int(id)), ("key", key.json), ("suggestion", .string(key.suggestedName))]
    case .accountNeeded(let id, let request):
      [
        ("id", .int(id)), ("key", request.authenticator.json), ("rpId", .string(request.relyingPartyID)),
        ("accounts", .array(request.accounts.map(\.json))),
      ]
    case .confirmationNeeded(let id, let request):
      [
        ("id", .int(id)), ("key", request.authenticator.json), ("deed", .string(request.deed.rawValue)),
        ("consequences", .string(request.consequences)), ("phrase", .optional(request.phrase)),
      ]
    case .virtualTouchNeeded(let id, let relyingPartyID): [("id", .int(id)), ("rpId", .optional(relyingPartyID))]
    case .questionOver(let id): [("id", .int(id))]
    case .answerRefused(let id, let reason): [("id", .optional(id)), ("reason", .string(reason))]
    case .note(let text): [("text", .string(text))]
    case .done: []
    case .error(let failure):
      [
        ("name", .string(failure.name)), ("reason", .string(failure.reason)),
        ("status", .int(Int(failure.status.rawValue))),
      ]
    }
  }
}

extension CeremonyEvent {
  fileprivate var name: String {
    switch self {
    case .keyFound: "keyFound"
    case .keySkipped: "keySkipped"
    case .keyRemoved: "keyRemoved"
    case .waitingForKey: "waitingForKey"
    case .touchToSelect: "touchToSelect"
    case .keySelected: "keySelected"
    case .touchNeeded: "touchNeeded"
    case .verificationNeeded: "verificationNeeded"
    case .working: "working"
    case .fingerNeeded: "fingerNeeded"
    case .fingerSampled: "fingerSampled"
    case .replugNeeded: "replugNeeded"
    case .progress: "progress"
    case .warning: "warning"
    }
  }

  fileprivate var members: [(String, JSONOutput)] {
    switch self {
    case .keyFound(let key), .keySelected(let key), .touchNeeded(let key), .working(let key): [("key", key.json)]
    case .keySkipped(let key, let reason): [("key", key.json), ("reason", .string(reason))]
    case .keyRemoved(let key): [("key", key.json)]
    case .waitingForKey(let time): [("seconds", .int(time.wholeSeconds))]
    case .touchToSelect(let keys): [("keys", .array(keys.map(\.json)))]
    case .verificationNeeded(let key, let retries): [("key", key.json), ("retriesLeft", .optional(retries))]
    case .fingerNeeded(let key, let left): [("key", key.json), ("samplesLeft", .optional(left))]
    case .fingerSampled(let key, let status, let left):
      [
        ("key", key.json), ("good", .bool(status == .good)), ("status", .int(status.rawValue)),
        ("text", .string(status.explanation)), ("samplesLeft", .int(left)),
      ]
    case .replugNeeded(let key, let time): [("key", key.json), ("touchWithinSeconds", .int(time.wholeSeconds))]
    case .progress(let key, let done, let total): [("key", key.json), ("done", .int(done)), ("total", .int(total))]
    case .warning(let text): [("text", .string(text))]
    }
  }
}
