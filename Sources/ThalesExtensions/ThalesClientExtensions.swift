public import WebAuthnClient

/// The client extensions of the Thales FIDO2 server: computed by the client, never sent to the key.
public enum ThalesClientExtensions {
  /// All three, in the order of their outputs.
  public static let all: [any ClientExtension] = [
    FriendlyNameExtension(), ClientTypeExtension(), ChallengeTokenExtension(),
  ]
}
