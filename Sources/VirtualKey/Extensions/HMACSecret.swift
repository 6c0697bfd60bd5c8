import CBOR
import CTAPMessages
import FIDOCrypto
import Octets

/// The input of hmac-secret in getAssertion and of hmac-secret-mc (CTAP 2.1 §12.5).
struct HMACSecretInput {
  let keyAgreement: COSEKey
  let saltEnc: [UInt8]
  let saltAuth: [UInt8]
  /// The PIN/UV protocol; CTAP 2.0 hosts leave out that it is the first.
  let version: Int

  init(_ value: CBORValue) throws(Refusal) {
    guard let map = value.mapValue else { throw Refusal(.cborUnexpectedType) }
    guard let key = map[1], let saltEnc = map[2], let saltAuth = map[3] else { throw Refusal(.missingParameter) }
    guard let saltEnc = saltEnc.bytesValue, let saltAuth = saltAuth.bytesValue,
      let version = (map[4] ?? 1).intValue
    else { throw Refusal(.cborUnexpectedType) }
    do throws(MessageError) {
      keyAgreement = try COSEKey(cbor: key)
    } catch {
      throw Refusal(error)
    }
    self.saltEnc = saltEnc
    self.saltAuth = saltAuth
    self.version = version
  }
}

extension Authenticator {
  /// The encrypted outputs for one or two salts of 32 bytes.
  func evaluate(_ input: HMACSecretInput, _ secret: [UInt8], verified: Bool) throws(Refusal) -> [UInt8] {
    let shared = try sharedSecret(input.version, input.keyAgreement)
    guard shared.verifies(input.saltAuth, of: input.saltEnc) else { throw Refusal(.pinAuthInvalid) }
    guard let salts = shared.decrypt(input.saltEnc), [32, 64].contains(salts.count) else {
      throw Refusal(.invalidLength)
    }
    let outputs = HMACSecret.outputs(salts, credRandom: HMACSecret.credRandom(secret, verified: verified))
    guard let encrypted = shared.encrypt(outputs, random) else { throw Refusal(.other) }
    return encrypted
  }
}

/// The function of hmac-secret.
enum HMACSecret {
  /// One of a credential's two secrets: CredRandomWithUV or CredRandomWithoutUV.
  static func credRandom(_ secret: [UInt8], verified: Bool) -> SecretBytes {
    var random = HMAC.sha256(key: SecretBytes(secret), [verified ? 1 : 0])
    return SecretBytes(taking: &random)
  }

  /// HMAC-SHA-256 of each salt, one after the other.
  static func outputs(_ salts: SecretBytes, credRandom: SecretBytes) -> SecretBytes {
    var outputs: [UInt8] = []
    for start in stride(from: 0, to: salts.count, by: 32) {
      guard let salt = salts.slice(start..<min(start + 32, salts.count)) else { break }
      var exposed = salt.exposed()
      outputs += HMAC.sha256(key: credRandom, exposed)
      exposed.wipe()
    }
    return SecretBytes(taking: &outputs)
  }
}
