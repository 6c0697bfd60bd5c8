/// The extensions of WebAuthn and CTAP that every client has.
public enum StandardExtensions {
  /// All of them, in the order of their outputs.
  public static let all: [any ClientExtension] = [
    CredentialPropertiesExtension(), CredentialProtectionExtension(), MinimumPINLengthExtension(),
    CredentialBlobExtension(), SecretExtension(), AppIDExtension(), AppIDExclusionExtension(), LargeBlobExtension(),
    PINComplexityExtension(), PaymentExtension(),
  ]
}
