internal import CTAPMessages

/// How a key keeps large blobs.
enum LargeBlobAccess: Hashable, Sendable {
  /// With each credential: the extension `largeBlob` carries them (CTAP 2.3 §12.4).
  case direct
  /// In one array, where the entries are encrypted with keys that `largeBlobKey` gives (CTAP 2.3 §6.10, §12.3).
  case array

  /// The way that a key has; nil for none. The one without an array comes first, because nothing of others is at stake.
  init?(_ authenticator: AuthenticatorInfo) {
    if authenticator.supports("largeBlob") {
      self = .direct
    } else if authenticator.supports("largeBlobKey"), authenticator.abilities.isOn(.largeBlobs) {
      self = .array
    } else {
      return nil
    }
  }
}
