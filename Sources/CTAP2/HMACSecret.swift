public import CBOR
public import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
public import Octets

/// One question to hmac-secret or hmac-secret-mc: the salts, encrypted for the key, and what its answer means
/// (CTAP 2.2 §12.7, §12.8).
public struct HMACSecretQuestion: Sendable {
  /// The size of a salt, and of an output, in bytes.
  public static let saltSize = 32

  /// The extension's input.
  public let input: CBORValue

  private let secret: SharedSecret
  private let count: Int

  /// Encrypts the salts.
  ///
  /// - Parameters:
  ///   - salts: one salt of 32 bytes, or two of them one after the other.
  ///   - secret: what is shared with the key.
  ///   - random: the source of protocol two's initialisation vector.
  public init(salts: SecretBytes, secret: SharedSecret, random: any RandomSource) throws(CTAP2Error) {
    do throws(CryptoError) {
      guard salts.count == Self.saltSize || salts.count == 2 * Self.saltSize else {
        throw .invalidLength(what: "salts", expected: Self.saltSize, found: salts.count)
      }
      let encrypted = try secret.encrypt(salts, random: random)
      var members: CBORMap = [
        1: secret.platformKey.cbor(), 2: .bytes(encrypted), 3: .bytes(secret.authenticate(encrypted)),
      ]
      // Keys of CTAP 2.0 don't know this member, and take protocol one for granted.
      if secret.version != .one { members[4] = .int(secret.version.rawValue) }
      input = .map(members)
    } catch {
      throw .crypto(error)
    }
    self.secret = secret
    count = salts.count
  }

  /// The outputs, 32 bytes for each salt, that are in an encrypted answer.
  public func outputs(_ answer: [UInt8]) throws(CTAP2Error) -> SecretBytes {
    do throws(CryptoError) {
      let outputs = try secret.decrypt(answer)
      guard outputs.count == count else {
        throw .invalidLength(what: "hmac-secret output", expected: count, found: outputs.count)
      }
      return outputs
    } catch {
      throw .crypto(error)
    }
  }
}

extension KeySession {
  /// Agrees on a secret with the key and encrypts salts with it; takes one transaction.
  ///
  /// - Parameters:
  ///   - salts: one salt of 32 bytes, or two of them one after the other.
  ///   - wait: how long it may take.
  public func hmacSecretQuestion(salts: SecretBytes, _ wait: Wait) throws(CTAP2Error) -> HMACSecretQuestion {
    try HMACSecretQuestion(salts: salts, secret: try keyAgreement(wait), random: random)
  }
}
