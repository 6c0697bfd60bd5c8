public import CTAPMessages
internal import FIDOCrypto
public import Octets

extension PINUVAuthToken {
  /// Takes up a persistent read-only token again that was kept from an earlier session (CTAP 2.3 §6.5.5.7).
  ///
  /// - Parameters:
  ///   - secret: what `persistentSecret` gave.
  ///   - version: the protocol that it was asked for with.
  public init(persistent secret: SecretBytes, version: PINUVAuthProtocol) {
    self.init(secret, version: version, permissions: .persistentCredentialManagementReadOnly, rpID: nil)
  }

  /// The token's bytes, to be kept where others can't read them; nil unless it is a persistent one.
  ///
  /// A key forgets its persistent tokens when its PIN is changed and when it is reset.
  public var persistentSecret: SecretBytes? {
    permissions == .persistentCredentialManagementReadOnly ? secret : nil
  }

  /// Decrypts the key's identifier, by which the holder of a persistent token knows the key again (CTAP 2.3 §6.4).
  ///
  /// - Parameter info: what the key says of itself; it hides the identifier anew each time.
  /// - Returns: 16 bytes, or nil where the key has none to tell. With a token of another key they are noise: nothing
  ///   shows that they are right but that they are known.
  public func identifier(in info: GetInfoResponse) throws(CTAP2Error) -> [UInt8]? {
    try reveal(info.encIdentifier, "encIdentifier")
  }

  /// Decrypts the state of the key's credential store, which differs after each change of a credential (CTAP 2.3 §6.4).
  ///
  /// - Parameter info: what the key says of itself.
  /// - Returns: 16 bytes, to be compared with those of an earlier time, or nil where the key has none to tell.
  public func credentialStoreState(in info: GetInfoResponse) throws(CTAP2Error) -> [UInt8]? {
    try reveal(info.encCredStoreState, "encCredStoreState")
  }

  /// Decrypts a member: an initialisation vector and whole blocks under AES-128, with a key that HKDF makes of the
  /// token and the member's name.
  private func reveal(_ member: [UInt8]?, _ name: String) throws(CTAP2Error) -> [UInt8]? {
    guard let member else { return nil }
    guard member.count == 32 else {
      throw .misfit("\(name) has \(member.count) bytes in place of 32", .getInfo)
    }
    do throws(CryptoError) {
      let key = try HKDF.sha256(
        secret: secret, salt: [UInt8](repeating: 0, count: 32), info: Array(name.utf8), count: 16)
      return try AESCBC.decrypt(Array(member[16...]), key: key, iv: Array(member[..<16]), size: .bits128).exposed()
    } catch {
      throw .crypto(error)
    }
  }
}
