/// What a look at an attestation, or at one side of it, found.
public enum AttestationVerdict: Hashable, Sendable {
  /// It is as it should be: the signature was made over exactly this authenticator data and client data hash.
  case verified
  /// It is not: the answer was altered on the way, or whoever made it is at fault.
  case wrong(String)
  /// It could not be checked, and the reason.
  case notCheckable(String)
  /// There is nothing to check: format `none`, and formats that are not known.
  case nothingToCheck
}
