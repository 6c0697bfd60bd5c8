import CBOR
import CTAPMessages

/// A command that ends with a status other than success.
struct Refusal: Error, Hashable {
  let status: CTAPStatus

  init(_ status: CTAPStatus) { self.status = status }

  init(_ error: MessageError) { status = error.status }
}

/// Where a command has got to.
enum Outcome {
  /// It succeeded, with what it returns.
  case success(CBORValue?)
  /// It goes on when the key was touched, or was not.
  case touch(TouchWait)

  static func message(_ message: some CTAPMessage) -> Outcome { .success(message.cbor()) }
}

/// What happens after a touch, or without it.
struct TouchWait {
  let command: CTAPCommand
  let rpID: String?
  /// How long it is waited for; nil for as long as every touch is.
  var patience: Duration?
  let then: (TouchAnswer) throws(Refusal) -> Outcome
}
