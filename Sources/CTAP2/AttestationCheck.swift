public import CBOR
public import CTAPMessages
internal import FIDOCrypto

/// What a look at an attestation's signature found.
public enum AttestationVerdict: Hashable, Sendable {
  /// The signature was made over exactly this authenticator data and client data hash.
  case verified
  /// It was not: the answer was altered on the way, or the key is at fault.
  case wrong(String)
  /// The signature could not be checked, and the reason.
  case notCheckable(String)
  /// The format has nothing that this check knows how to verify: `none`, and formats that no USB key uses.
  case nothingToCheck
}

/// Verifies that a key's attestation belongs to its answer (WebAuthn L3 §8.2, §8.6).
///
/// This finds answers that were damaged or mixed up on the way. It says nothing of who made the key: no chain is
/// built and no rule for certificates enforced, which is the relying party's business and has reasons of its own.
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
    let attStmt = attStmt ?? CBORMap()
    switch fmt {
    case "packed":
      return packed(attStmt, authData, clientDataHash)
    case "fido-u2f":
      return universalSecondFactor(attStmt, authData, clientDataHash)
    case "none", "tpm", "android-key", "android-safetynet", "apple", "compound":
      return .nothingToCheck
    default:
      // A name that nobody registered, over a statement that verifies as packed, is a damaged name.
      guard packed(attStmt, authData, clientDataHash) == .verified else { return .nothingToCheck }
      return .wrong("the format is named \"\(fmt)\", and the statement is a packed one")
    }
  }

  private static func packed(
    _ statement: CBORMap, _ authData: AuthenticatorData, _ clientDataHash: [UInt8]
  ) -> AttestationVerdict {
    guard let number = statement["alg"]?.intValue else { return .wrong("the statement has no algorithm") }
    guard let signature = statement["sig"]?.bytesValue else { return .wrong("the statement has no signature") }
    let signed = authData.encoded() + clientDataHash
    if statement["ecdaaKeyId"] != nil { return .notCheckable("ECDAA signatures are not supported") }
    if let chain = statement["x5c"] {
      guard let first = chain.arrayValue?.first?.bytesValue else { return .wrong("x5c holds no certificate") }
      return withCertificate(first, algorithm: number) { key in verdict(signature, signed, key, algorithm: number) }
    }
    guard let credential = authData.attestedCredential?.publicKey else {
      return .wrong("the authenticator data holds no credential")
    }
    guard credential.alg == number else {
      return .wrong("self attestation names algorithm \(number), and the credential another")
    }
    do throws(CryptoError) {
      return verdict(signature, signed, try credential.publicKey(), algorithm: number)
    } catch {
      return .notCheckable("the credential's public key cannot be read: \(error)")
    }
  }

  private static func universalSecondFactor(
    _ statement: CBORMap, _ authData: AuthenticatorData, _ clientDataHash: [UInt8]
  ) -> AttestationVerdict {
    guard let signature = statement["sig"]?.bytesValue else { return .wrong("the statement has no signature") }
    guard let chain = statement["x5c"]?.arrayValue, chain.count == 1, let first = chain.first?.bytesValue else {
      return .wrong("x5c does not hold one certificate")
    }
    guard let credential = authData.attestedCredential else {
      return .wrong("the authenticator data holds no credential")
    }
    guard case .elliptic(.p256, let x, let y) = try? credential.publicKey.publicKey() else {
      return .wrong("the credential's public key is not on P-256")
    }
    let signed = [0] + authData.rpIDHash + clientDataHash + credential.credentialID + [4] + x + y
    return withCertificate(first, algorithm: SignatureAlgorithm.es256.rawValue) { key in
      guard case .elliptic(.p256, _, _) = key else { return .wrong("the certificate's key is not on P-256") }
      return verdict(signature, signed, key, algorithm: SignatureAlgorithm.es256.rawValue)
    }
  }

  /// Reads the certificate's key; some keys ship certificates that OpenSSL does not read. A key for an algorithm that
  /// is known can be read, unless it is damaged.
  private static func withCertificate(
    _ der: [UInt8], algorithm: Int, _ check: (PublicKey) -> AttestationVerdict
  ) -> AttestationVerdict {
    do throws(CryptoError) {
      return check(try Certificate(der: der).publicKey())
    } catch {
      if case .invalidKey(let reason) = error, SignatureAlgorithm(rawValue: algorithm) != nil {
        return .wrong("the certificate's public key is broken (\(reason))")
      }
      return .notCheckable("the attestation certificate cannot be read: \(error)")
    }
  }

  private static func verdict(
    _ signature: [UInt8], _ signed: [UInt8], _ key: PublicKey, algorithm number: Int
  ) -> AttestationVerdict {
    var reason = "algorithm \(number) is not known"
    if let algorithm = SignatureAlgorithm(rawValue: number) {
      do throws(CryptoError) {
        return try key.verifies(signature, of: signed, algorithm: algorithm)
          ? .verified : .wrong("the attestation signature does not verify")
      } catch {
        reason = "\(error)"
      }
    }
    // Another algorithm cannot be the right one where the key's usual one verifies the signature.
    if let usual = key.usualAlgorithm, (try? key.verifies(signature, of: signed, algorithm: usual)) == true {
      return .wrong("the statement names algorithm \(number), and was signed with \(usual.rawValue)")
    }
    return .notCheckable(reason)
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
