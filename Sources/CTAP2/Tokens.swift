public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto
public import Octets

extension KeySession {
  /// Asks for a token with a PIN (CTAP 2.2 §6.5.5.7.1, §6.5.5.7.2); takes two transactions.
  ///
  /// The PIN is prepared first, so one that breaks a rule costs no try. A wrong PIN costs one, and this is sent only
  /// once. A key without `pinUvAuthToken` gives the token of CTAP 2.0, which is good for everything the key knows.
  ///
  /// - Parameters:
  ///   - pin: the PIN as it was typed.
  ///   - permissions: what the token will be used for.
  ///   - rpID: the RP ID that it is for, or nil for permissions that take none.
  ///   - wait: how long it may take.
  /// - Throws: `pin` before anything is sent; `verification` with what the key made of the PIN, a wrong one with the
  ///   retries that are left, which takes one transaction more.
  public func token(
    pin: SecretBytes, permissions: PINUVAuthPermissions, rpID: String?, _ wait: Wait
  ) throws(CTAP2Error) -> PINUVAuthToken {
    let info = try info(wait)
    guard info.options?[.clientPin] != nil else { throw .notOffered("a PIN") }
    guard info.options?[.clientPin] == true else { throw .verification(.pinNotSet) }
    // The key would refuse, and an old one would count a try.
    guard info.forcePINChange != true else { throw .verification(.pinMustChange) }
    let pin = try prepared(pin)
    let secret = try keyAgreement(wait)
    var request = ClientPINRequest(
      .getPINToken, pinUvAuthProtocol: secret.version.rawValue, keyAgreement: secret.platformKey,
      pinHashEnc: try encryptedHash(of: pin, secret))
    if info.options?[.pinUvAuthToken] == true {
      request.subCommand = .getPINUVAuthTokenUsingPINWithPermissions
      request.permissions = permissions
      request.rpID = rpID
    }
    do throws(CTAP2Error) {
      return try token(request, permissions, rpID, secret, wait)
    } catch {
      guard case .verification(.pinInvalid) = error else { throw error }
      throw .verification(.pinInvalid(try? pinRetries(wait)))
    }
  }

  /// Asks for a token with the key's own user verification, such as a fingerprint (CTAP 2.2 §6.5.5.7.3).
  ///
  /// - Parameters:
  ///   - permissions: what the token will be used for.
  ///   - rpID: the RP ID that it is for, or nil for permissions that take none.
  ///   - wait: how long it may take; the key asks its holder meanwhile.
  public func token(
    builtInUserVerification permissions: PINUVAuthPermissions, rpID: String?, _ wait: Wait
  ) throws(CTAP2Error) -> PINUVAuthToken {
    let info = try info(wait)
    guard info.options?[.pinUvAuthToken] == true, info.options?[.uv] == true else {
      throw .notOffered("a token for its own user verification")
    }
    let secret = try keyAgreement(wait)
    let request = ClientPINRequest(
      .getPINUVAuthTokenUsingUVWithPermissions, pinUvAuthProtocol: secret.version.rawValue,
      keyAgreement: secret.platformKey, permissions: permissions, rpID: rpID)
    do throws(CTAP2Error) {
      return try token(request, permissions, rpID, secret, wait)
    } catch {
      guard case .verification(.uvInvalid) = error else { throw error }
      throw .verification(.uvInvalid(retries: try? uvRetries(wait)))
    }
  }

  /// Agrees on a secret with the key, each time a new one (CTAP 2.2 §6.5.5.4).
  public func keyAgreement(_ wait: Wait) throws(CTAP2Error) -> SharedSecret {
    let version = try pinUvAuthProtocol(wait)
    let request = ClientPINRequest(.getKeyAgreement, pinUvAuthProtocol: version.rawValue)
    let keys = try clientPIN(request, repeatable: true, wait) { response throws(Unfit) in
      guard let key = response.keyAgreement else { throw Unfit("it has no key agreement key") }
      return key
    }
    do throws(CryptoError) {
      return try SharedSecret(version: version, with: keys, platform: try freshKeyPair())
    } catch {
      throw .crypto(error)
    }
  }

  /// A key pair from the session's own source of randomness.
  private func freshKeyPair() throws(CryptoError) -> P256KeyAgreement {
    // Nearly every 32 bytes are a private scalar; a source that is not random at all is found out.
    for _ in 0..<8 {
      if let pair = try? P256KeyAgreement(privateScalar: random.secretBytes(32)) { return pair }
    }
    throw .invalidKey("the random source gives no private scalar")
  }

  private func token(
    _ request: ClientPINRequest, _ permissions: PINUVAuthPermissions, _ rpID: String?, _ secret: SharedSecret,
    _ wait: Wait
  ) throws(CTAP2Error) -> PINUVAuthToken {
    func read(_ response: ClientPINResponse) throws(Unfit) -> [UInt8] {
      guard let token = response.pinUvAuthToken else { throw Unfit("it has no token") }
      return token
    }
    let encrypted =
      try request.pinHashEnc == nil
      ? clientPIN(request, repeatable: false, wait, read) : clientPINTry(request, wait, read)
    do throws(CryptoError) {
      let token = try secret.decrypt(encrypted)
      guard secret.version.allowsToken(count: token.count) else {
        throw .invalidLength(what: "PIN/UV token", expected: 32, found: token.count)
      }
      let isBound = request.permissions != nil
      return PINUVAuthToken(
        token, version: secret.version, permissions: isBound ? permissions : permissions.union(.everythingBefore21),
        rpID: isBound ? rpID : nil)
    } catch {
      throw .crypto(error)
    }
  }

  /// The PIN in the form that keys take.
  func prepared(_ pin: SecretBytes) throws(CTAP2Error) -> SecretBytes {
    do throws(PINError) {
      return try PIN.prepare(pin)
    } catch {
      throw .pin(error)
    }
  }

  /// The first half of the PIN's digest, encrypted, as the key compares it.
  func encryptedHash(of pin: SecretBytes, _ secret: SharedSecret) throws(CTAP2Error) -> [UInt8] {
    var text = pin.exposed()
    var digest = Digest.sha256(text)
    let half = SecretBytes(digest.prefix(16))
    text.wipe()
    digest.wipe()
    do throws(CryptoError) {
      return try secret.encrypt(half, random: random)
    } catch {
      throw .crypto(error)
    }
  }
}

extension PINUVAuthPermissions {
  /// What a token without permissions is good for on the keys that give such tokens.
  fileprivate static let everythingBefore21: PINUVAuthPermissions = [
    .makeCredential, .getAssertion, .credentialManagement, .bioEnrollment,
  ]
}
