import FIDOCrypto
import Octets

/// Credential ids that hold the credential itself, sealed under the key's master secret, so that the key keeps nothing.
///
/// An id is nonce (12) ‖ AES-256-GCM of form (1), algorithm (2, big-endian), credProtect level with 0x80 for payments (1)
/// and private key, with the RP ID's hash as additional data: for ES256 and EdDSA 64 bytes. Another key, another RP ID or another master secret
/// cannot open it.
enum CredentialSeal {
  static let nonceSize = 12
  private static let form: UInt8 = 1
  private static let payment: UInt8 = 0x80

  static func seal(_ credential: StoredCredential, _ master: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    var plaintext: [UInt8] = [form]
    plaintext.append(bigEndian: Int16(truncatingIfNeeded: credential.key.algorithm))
    plaintext.append(UInt8(truncatingIfNeeded: credential.protection) | (credential.isForPayment ? payment : 0))
    plaintext += credential.key.bytes
    defer { plaintext.wipe() }
    guard
      let key = derive(master, "credential id"),
      let sealed = try? AESGCM.seal(plaintext, key: key, nonce: nonce, additionalData: credential.rpIDHash)
    else { return nil }
    return nonce + sealed
  }

  /// The credential in an id, or nil where it is none of this key's and the RP's; it knows the RP ID by its hash alone.
  static func open(_ id: [UInt8], _ master: [UInt8], rpIDHash: [UInt8]) -> StoredCredential? {
    guard id.count > nonceSize else { return nil }
    let nonce = Array(id[..<nonceSize])
    guard
      let key = derive(master, "credential id"),
      let plaintext = try? AESGCM.open(
        Array(id[nonceSize...]), key: key, nonce: nonce, additionalData: rpIDHash)
    else { return nil }
    var reader = ByteReader(plaintext)
    guard let read = try? reader.byte(), read == form, let algorithm = try? reader.uint16(),
      let policy = try? reader.byte()
    else { return nil }
    return StoredCredential(
      id: id, rpID: "", application: rpIDHash, userID: [],
      key: CredentialKey(algorithm: Int(Int16(bitPattern: algorithm)), bytes: reader.rest()),
      protection: Int(policy & ~payment), secret: secret(master, nonce: nonce), isForPayment: policy & payment != 0,
      isResident: false)
  }

  /// What the hmac-secret secrets of the credential with this nonce are derived from.
  static func secret(_ master: [UInt8], nonce: [UInt8]) -> [UInt8] {
    HMAC.sha256(key: SecretBytes(master), Array("credential secret".utf8) + nonce)
  }

  private static func derive(_ master: [UInt8], _ purpose: String) -> SecretBytes? {
    try? HKDF.sha256(secret: SecretBytes(master), salt: [], info: Array(purpose.utf8), count: 32)
  }
}
