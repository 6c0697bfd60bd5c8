/// The name of a WebAuthn error, as a relying party's script would see it.
public enum WebAuthnErrorName: String, Hashable, Sendable, CaseIterable {
  /// A required member is missing or a value is outside its range (WebIDL).
  case typeError = "TypeError"
  /// A value has the wrong JSON type or is not base64url (WebAuthn L3 §5.1.9).
  case encodingError = "EncodingError"
  /// A name in the request cannot be one, such as that of a credential which is not allowed (WebAuthn L3 §10.1.4).
  case syntaxError = "SyntaxError"
  /// The RP ID is not one that the origin may use.
  case securityError = "SecurityError"
  /// No algorithm or option that was asked for can be served.
  case notSupportedError = "NotSupportedError"
  /// The key already holds a credential of the exclude list, and the user agreed to say so.
  case invalidStateError = "InvalidStateError"
  /// The key cannot satisfy a requirement of the request.
  case constraintError = "ConstraintError"
  /// The user declined, the time is up, or no key qualifies.
  case notAllowedError = "NotAllowedError"
  /// Something failed that no other name describes.
  case unknownError = "UnknownError"
}

/// Why a ceremony ended without a response.
public struct WebAuthnError: Error, Sendable, CustomStringConvertible {
  /// What kind of trouble it was, for programs that treat kinds differently.
  public enum Kind: Hashable, Sendable {
    /// The request is not JSON, or a member is missing or wrong.
    case badRequest
    /// The server's envelope says that it failed.
    case serverRefused
    /// The origin is not one that may use WebAuthn, or not one that may use the RP ID.
    case badOrigin
    /// No key that is there, or that could come, satisfies the request.
    case noSuitableKey
    /// The keys that are there may not be opened by this user.
    case noPermission
    /// The key that was named is not there.
    case keyNotFound
    /// A PIN is needed and there is nobody to ask and none was supplied.
    case pinMissing
    /// A new PIN is needed and there is nobody to ask and none was supplied.
    case newPINMissing
    /// Something that can't be undone was asked for, and there is nobody to confirm it.
    case confirmationMissing
    /// The PIN was wrong and no other one was offered.
    case pinInvalid
    /// The key has no PIN, and what was asked for needs one.
    case pinNotSet
    /// Three wrong PINs in a row: the key must be pulled out and plugged in again.
    case pinNeedsReplug
    /// No PIN retries are left: only a reset helps.
    case pinBlocked
    /// The key wants its PIN changed before it does anything else.
    case pinMustChange
    /// The user cancelled.
    case cancelled
    /// The time was up.
    case timedOut
    /// The key refused, with a status that the reason explains.
    case keyRefused
    /// The key holds a credential of the exclude list already.
    case credentialExcluded
    /// The key has no credential that the request allows, or its user chose none of its accounts.
    case noCredential
    /// The key's store of discoverable credentials is full.
    case keyStoreFull
    /// A credential now exists on the key although no response is returned; `credentialID` has its identifier where known.
    case credentialExists
    /// The answer to a change on the key was lost: it may have been made, and is not made again.
    case changeUncertain
    /// The key could not be reached, was pulled out, or broke the protocol.
    case communication
    /// An extension stopped the ceremony.
    case extensionFailed
    /// A fault of this library.
    case internalFault
  }

  /// The error's name in WebAuthn.
  public var name: WebAuthnErrorName
  /// One sentence for a person: what happened and what to do.
  public var reason: String
  /// The kind of trouble.
  public var kind: Kind
  /// The identifier of a credential that was created and not returned.
  public var credentialID: [UInt8]?
  /// The error of a lower layer that this one wraps.
  public var cause: (any Error)?

  /// Creates an error.
  public init(
    _ name: WebAuthnErrorName, _ kind: Kind, _ reason: String, credentialID: [UInt8]? = nil, cause: (any Error)? = nil
  ) {
    self.name = name
    self.kind = kind
    self.reason = reason
    self.credentialID = credentialID
    self.cause = cause
  }

  /// The name and the reason.
  public var description: String { "\(name.rawValue): \(reason)" }
}
