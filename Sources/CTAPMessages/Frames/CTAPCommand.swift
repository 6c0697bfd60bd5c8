/// The commands of CTAP2, by the byte that begins a request (CTAP 2.3 §6).
///
/// `reset`, `selection`, `getInfo` and `getNextAssertion` have no parameters; `reset` and `selection` answer
/// with a status alone, and `getNextAssertion` answers as `getAssertion` does.
public enum CTAPCommand: UInt8, CaseIterable, Hashable, Sendable {
  /// Creates a credential.
  case makeCredential = 0x01
  /// Signs in with a credential.
  case getAssertion = 0x02
  /// Reads what the key is and can do.
  case getInfo = 0x04
  /// Sets, changes and checks the PIN, and hands out PIN/UV tokens.
  case clientPIN = 0x06
  /// Erases the key.
  case reset = 0x07
  /// Fetches the next assertion of a `getAssertion` that several credentials answer.
  case getNextAssertion = 0x08
  /// Enrols and removes fingerprints.
  case bioEnrollment = 0x09
  /// Lists, renames and deletes discoverable credentials.
  case credentialManagement = 0x0a
  /// Waits for a touch, so that a person can pick one of several keys.
  case selection = 0x0b
  /// Reads and writes the large-blob array.
  case largeBlobs = 0x0c
  /// Changes the key's settings.
  case config = 0x0d
  /// The form of `bioEnrollment` that keys offered before CTAP 2.1 was final.
  case bioEnrollmentPreview = 0x40
  /// The form of `credentialManagement` that keys offered before CTAP 2.1 was final.
  case credentialManagementPreview = 0x41
}
