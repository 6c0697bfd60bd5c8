public import CBOR
public import CTAPMessages

/// Verifies that an attestation belongs to its answer (WebAuthn L3 §8.2 to §8.8).
///
/// This finds answers that were damaged or mixed up on the way. It says nothing of who made the key: no chain is
/// built and no rule for certificates enforced, which is the relying party's business and has reasons of its own
/// (see `AttestationReport`).
public enum AttestationCheck {
  /// Checks an attestation statement of any format.
  ///
  /// - Parameters:
  ///   - fmt: the format's name.
  ///   - attStmt: the statement, or nil where the key sent none.
  ///   - authData: the authenticator data as it was read from the key's answer.
  ///   - clientDataHash: the 32 bytes that the key was given.
  public static func verify(
    fmt: String, attStmt: CBORMap?, authData: AuthenticatorData, clientDataHash: [UInt8]
  ) -> AttestationVerdict {
    let answer = AttestedAnswer(attStmt ?? CBORMap(), authData, clientDataHash)
    if let format = AttestationFormats.all[fmt] { return format.binding(answer) }
    // A name that nobody registered, over a statement that verifies as packed, is a damaged name.
    guard !AttestationFormats.others.contains(fmt), PackedFormat.binding(answer) == .verified else {
      return .nothingToCheck
    }
    return .wrong("the format is named \"\(fmt)\", and the statement is a packed one")
  }
}
