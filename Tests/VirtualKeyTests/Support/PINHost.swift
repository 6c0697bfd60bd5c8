import CBOR
import CTAPMessages
import FIDOCrypto
import Octets
import Testing

/// The host's half of a PIN/UV auth protocol, written for the tests alone (CTAP 2.1 §6.5.6, §6.5.7).
final class PINHost {
  let version: Int
  let key: TestKey
  private let pair: P256KeyAgreement
  private var macKey = SecretBytes([])
  private var cipherKey = SecretBytes([])
  private(set) var token = SecretBytes([])

  init(_ key: TestKey, version: Int = 2) throws {
    self.key = key
    self.version = version
    pair = try P256KeyAgreement()
    try agree()
  }

  var publicKey: COSEKey { .keyAgreement(x: pair.x, y: pair.y) }

  /// Fetches the key's half; needed again after a wrong PIN.
  func agree() throws {
    let response: ClientPINResponse = try key.answer(
      .clientPIN, ClientPINRequest(.getKeyAgreement, pinUvAuthProtocol: version))
    let peer = try #require(response.keyAgreement)
    #expect(peer.alg == -25)
    let shared = try pair.sharedX(withX: peer.x ?? [], y: peer.y ?? [])
    if version == 1 {
      macKey = SecretBytes(Digest.sha256(shared.exposed()))
      cipherKey = macKey
    } else {
      let salt = [UInt8](repeating: 0, count: 32)
      macKey = try HKDF.sha256(secret: shared, salt: salt, info: Array("CTAP2 HMAC key".utf8), count: 32)
      cipherKey = try HKDF.sha256(secret: shared, salt: salt, info: Array("CTAP2 AES key".utf8), count: 32)
    }
  }

  func encrypt(_ bytes: [UInt8]) throws -> [UInt8] {
    let iv = version == 1 ? [UInt8](repeating: 0, count: 16) : SystemRandom().bytes(16)
    let ciphertext = try AESCBC.encrypt(SecretBytes(bytes), key: cipherKey, iv: iv)
    return version == 1 ? ciphertext : iv + ciphertext
  }

  func decrypt(_ bytes: [UInt8]) throws -> [UInt8] {
    let iv = version == 1 ? [UInt8](repeating: 0, count: 16) : Array(bytes.prefix(16))
    return try AESCBC.decrypt(version == 1 ? bytes : Array(bytes.dropFirst(16)), key: cipherKey, iv: iv).exposed()
  }

  func mac(_ message: [UInt8], key: SecretBytes? = nil) -> [UInt8] {
    let whole = HMAC.sha256(key: key ?? macKey, message)
    return version == 1 ? Array(whole.prefix(16)) : whole
  }

  func padded(_ pin: String) -> [UInt8] {
    Array((Array(pin.utf8) + [UInt8](repeating: 0, count: 64)).prefix(64))
  }

  func pinHash(_ pin: String) -> [UInt8] { Array(Digest.sha256(Array(pin.utf8)).prefix(16)) }

  // MARK: Requests

  func setPIN(_ pin: String) throws -> ClientPINRequest {
    let newPIN = try encrypt(padded(pin))
    return ClientPINRequest(
      .setPIN, pinUvAuthProtocol: version, keyAgreement: publicKey, pinUvAuthParam: mac(newPIN), newPinEnc: newPIN)
  }

  func changePIN(_ old: String, to new: String) throws -> ClientPINRequest {
    let newPIN = try encrypt(padded(new))
    let hash = try encrypt(pinHash(old))
    return ClientPINRequest(
      .changePIN, pinUvAuthProtocol: version, keyAgreement: publicKey, pinUvAuthParam: mac(newPIN + hash),
      newPinEnc: newPIN, pinHashEnc: hash)
  }

  func pinToken(_ pin: String) throws -> ClientPINRequest {
    ClientPINRequest(
      .getPINToken, pinUvAuthProtocol: version, keyAgreement: publicKey, pinHashEnc: try encrypt(pinHash(pin)))
  }

  func token(
    _ pin: String, _ permissions: PINUVAuthPermissions = [.makeCredential, .getAssertion],
    rpID: String? = "example.org"
  ) throws -> ClientPINRequest {
    ClientPINRequest(
      .getPINUVAuthTokenUsingPINWithPermissions, pinUvAuthProtocol: version, keyAgreement: publicKey,
      pinHashEnc: try encrypt(pinHash(pin)), permissions: permissions, rpID: rpID)
  }

  func uvToken(
    _ permissions: PINUVAuthPermissions = [.makeCredential, .getAssertion], rpID: String? = "example.org"
  ) -> ClientPINRequest {
    ClientPINRequest(
      .getPINUVAuthTokenUsingUVWithPermissions, pinUvAuthProtocol: version, keyAgreement: publicKey,
      permissions: permissions, rpID: rpID)
  }

  // MARK: What they do

  func status(_ request: ClientPINRequest) throws -> CTAPStatus { try key.pinStatus(request) }

  /// Sends a request for a token and keeps what comes.
  func obtain(_ request: ClientPINRequest, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let response: ClientPINResponse = try key.answer(.clientPIN, request, sourceLocation: sourceLocation)
    token = SecretBytes(try decrypt(try #require(response.pinUvAuthToken)))
  }

  func signed(_ request: MakeCredentialRequest) -> MakeCredentialRequest {
    var request = request
    request.pinUvAuthParam = mac(request.clientDataHash, key: token)
    request.pinUvAuthProtocol = version
    return request
  }

  func signed(_ request: GetAssertionRequest) -> GetAssertionRequest {
    var request = request
    request.pinUvAuthParam = mac(request.clientDataHash, key: token)
    request.pinUvAuthProtocol = version
    return request
  }

  func signed(_ request: LargeBlobsRequest) -> LargeBlobsRequest {
    var request = request
    // Written out here, as the key's own words for it would hide a mistake of both.
    let offset = UInt32(request.offset)
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
    request.pinUvAuthParam = mac(
      [UInt8](repeating: 0xff, count: 32) + [0x0c, 0x00] + bytes + Digest.sha256(request.set ?? []), key: token)
    request.pinUvAuthProtocol = version
    return request
  }

  func signed(_ request: CredentialManagementRequest) -> CredentialManagementRequest {
    var request = request
    request.pinUvAuthParam = mac(
      [UInt8(request.subCommand.rawValue)] + (request.subCommandParams?.encoded() ?? []), key: token)
    request.pinUvAuthProtocol = version
    return request
  }

  func signed(_ request: BioEnrollmentRequest) -> BioEnrollmentRequest {
    var request = request
    request.pinUvAuthParam = mac(
      [1, UInt8(request.subCommand?.rawValue ?? 0)] + (request.subCommandParams?.encoded() ?? []), key: token)
    request.pinUvAuthProtocol = version
    return request
  }

  func signed(_ request: AuthenticatorConfigRequest) -> AuthenticatorConfigRequest {
    var request = request
    let parameters =
      if case .setMinPINLength(let minimum)? = request.subCommandParams { minimum.encoded() } else { [UInt8]() }
    request.pinUvAuthParam = mac(
      [UInt8](repeating: 0xff, count: 32) + [0x0d, UInt8(request.subCommand.rawValue)]
        + parameters, key: token)
    request.pinUvAuthProtocol = version
    return request
  }

  /// The hmac-secret input for salts.
  func hmacSecret(_ salts: [UInt8]) throws -> CBORValue {
    let saltEnc = try encrypt(salts)
    return [1: publicKey.cbor(), 2: .bytes(saltEnc), 3: .bytes(mac(saltEnc)), 4: .int(version)]
  }
}
