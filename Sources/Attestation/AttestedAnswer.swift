internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto

/// An attestation statement with what it vouches for; what the checks of every format start from.
struct AttestedAnswer {
  let statement: CBORMap
  let authData: AuthenticatorData
  /// The authenticator data as it was signed.
  let authDataBytes: [UInt8]
  let clientDataHash: [UInt8]

  init(_ statement: CBORMap, _ authData: AuthenticatorData, _ clientDataHash: [UInt8]) {
    self.statement = statement
    self.authData = authData
    authDataBytes = authData.encoded()
    self.clientDataHash = clientDataHash
  }

  /// What most formats sign (WebAuthn L3 §6.5.4).
  var signed: [UInt8] { authDataBytes + clientDataHash }

  /// `alg`, where it is a number that fits.
  var algorithm: Int? { statement["alg"]?.intValue }

  /// `sig`.
  var signature: [UInt8]? { statement["sig"]?.bytesValue }

  /// `x5c`, leaf first, where it is a list of byte strings and not empty.
  var chain: [[UInt8]]? {
    guard let entries = statement["x5c"]?.arrayValue, !entries.isEmpty else { return nil }
    let certificates = entries.compactMap(\.bytesValue)
    return certificates.count == entries.count ? certificates : nil
  }

  /// Reads the leaf's key; some keys ship certificates that OpenSSL does not read. A key for an algorithm that is known
  /// can be read, unless it is damaged.
  func withLeaf(
    _ der: [UInt8], algorithm: Int, _ check: (Certificate, PublicKey) -> AttestationVerdict
  ) -> AttestationVerdict {
    do throws(CryptoError) {
      let leaf = try Certificate(der: der)
      return check(leaf, try leaf.publicKey())
    } catch {
      if case .invalidKey(let reason) = error, SignatureAlgorithm(rawValue: algorithm) != nil {
        return .wrong("the certificate's public key is broken (\(reason))")
      }
      return .notCheckable("the attestation certificate cannot be read: \(error)")
    }
  }

  /// Checks a signature by an algorithm's number.
  func verdict(
    _ signature: [UInt8], over message: [UInt8], by key: PublicKey, algorithm number: Int
  ) -> AttestationVerdict {
    var reason = "algorithm \(number) is not known"
    if let algorithm = SignatureAlgorithm(rawValue: number) {
      do throws(CryptoError) {
        return try key.verifies(signature, of: message, algorithm: algorithm)
          ? .verified : .wrong("the attestation signature does not verify")
      } catch {
        reason = "\(error)"
      }
    }
    // Another algorithm cannot be the right one where the key's usual one verifies the signature.
    if let usual = key.usualAlgorithm, (try? key.verifies(signature, of: message, algorithm: usual)) == true {
      return .wrong("the statement names algorithm \(number), and was signed with \(usual.rawValue)")
    }
    return .notCheckable(reason)
  }

  /// Whether a certificate or a TPM speaks of the very key that the credential has; nil where it does.
  func fault(ofKey key: PublicKey, in what: String) -> AttestationVerdict? {
    guard let credential = authData.attestedCredential?.publicKey else {
      return .wrong("the authenticator data holds no credential")
    }
    do throws(CryptoError) {
      guard try credential.publicKey() == key else { return .wrong("the key in \(what) is not the credential's") }
      return nil
    } catch {
      return .notCheckable("the credential's public key cannot be read: \(error)")
    }
  }
}

extension PublicKey {
  /// The algorithm that WebAuthn pairs with this kind of key.
  fileprivate var usualAlgorithm: SignatureAlgorithm? {
    switch self {
    case .elliptic(let curve, _, _): SignatureAlgorithm.allCases.first { $0.curve == curve }
    case .ed25519: .eddsa
    case .ed448: .ed448
    case .rsa: .rs256
    }
  }
}
