import CTAPMessages
import FIDOCrypto
import Octets

// The persistent token that lists credentials and changes nothing (CTAP 2.3 §6.5.2.1, permission pcmr), and what only
// its holder can read in getInfo (§6.4, encIdentifier and encCredStoreState).
extension Authenticator {
  /// The key's persistent token, made when it is first asked for; it lasts until the PIN changes or the key is reset.
  func persistentToken() throws(Refusal) -> SecretBytes {
    if let kept = state.persistent { return SecretBytes(kept.token) }
    let made = PersistentState(
      token: random.bytes(32), identifier: random.bytes(16), credentialStore: random.bytes(16))
    try commit { $0.persistent = made }
    return SecretBytes(made.token)
  }

  /// Whether a MAC is the persistent token's over a message.
  func persistentTokenVerifies(_ mac: [UInt8], of message: [UInt8], version: Int) -> Bool {
    guard profile.option(.perCredMgmtRO) == true, let kept = state.persistent else { return false }
    return SharedSecret.verifies(mac, of: message, key: SecretBytes(kept.token), version: version)
  }

  /// The members of getInfo that only the token's holder can read, new each time; there are none before the token.
  func hide(_ info: inout GetInfoResponse) {
    guard profile.option(.perCredMgmtRO) == true, let kept = state.persistent else { return }
    info.encIdentifier = hidden(kept.identifier, "encIdentifier", kept.token)
    info.encCredStoreState = hidden(kept.credentialStore, "encCredStoreState", kept.token)
  }

  private func hidden(_ value: [UInt8], _ name: String, _ token: [UInt8]) -> [UInt8]? {
    let iv = random.bytes(16)
    let salt = [UInt8](repeating: 0, count: 32)
    guard
      let key = try? HKDF.sha256(secret: SecretBytes(token), salt: salt, info: Array(name.utf8), count: 16),
      let ciphertext = try? AESCBC.encrypt(SecretBytes(value), key: key, iv: iv, size: .bits128)
    else { return nil }
    return iv + ciphertext
  }
}

/// What goes with the persistent token, once there is one.
struct PersistentState: Hashable, Sendable {
  var token: [UInt8]
  /// By which the holder of the token knows the key again.
  var identifier: [UInt8]
  /// What differs after each change of a resident credential.
  var credentialStore: [UInt8]
}

extension VirtualKeyState {
  /// Notes that the resident credentials are others than before.
  mutating func credentialsChanged(_ random: any RandomSource) {
    persistent?.credentialStore = random.bytes(16)
  }
}
