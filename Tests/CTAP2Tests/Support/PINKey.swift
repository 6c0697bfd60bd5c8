import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets

@testable import CTAP2

/// The PIN half of a fake key: it agrees on secrets, compares PINs, counts tries and gives out tokens.
final class PINKey {
  static let tokenBytes = [UInt8](repeating: 0x5a, count: 32)

  let key: FakeKey
  let version: PINUVAuthProtocol
  var pin: String?
  var retries = 8
  var uvRetries = 3
  /// The token that is given out.
  var token = PINKey.tokenBytes
  /// The key's public key in the answer to getKeyAgreement, or nil for the right one.
  var announcedKey: COSEKey?
  /// The status of the subcommand in question, instead of its work.
  var failure: (ClientPINSubcommand, CTAPStatus)?
  /// The request that came last.
  private(set) var last: ClientPINRequest?
  private(set) var pair: P256KeyAgreement

  init(_ version: PINUVAuthProtocol = .two, pin: String? = "1234", permissions: Bool = true, uv: Bool? = nil) throws {
    self.version = version
    self.pin = pin
    pair = try P256KeyAgreement()
    key = FakeKey(
      versions: permissions ? ["FIDO_2_0", "FIDO_2_1"] : ["FIDO_2_0"], options: ["rk": true, "clientPin": pin != nil])
    if permissions { key.info.options?["pinUvAuthToken"] = true }
    key.info.options?["uv"] = uv
    key.info.pinUvAuthProtocols = version == .two ? [2, 1] : [1]
    key.answer = { [unowned self] request in
      guard request.command == .clientPIN, let parameters = request.parameters else { return nil }
      return try self.react(try ClientPINRequest(cbor: parameters))
    }
  }

  /// A token as a key gives it out.
  static func token(
    _ version: PINUVAuthProtocol, permissions: PINUVAuthPermissions = [.makeCredential, .getAssertion]
  ) throws -> PINUVAuthToken {
    PINUVAuthToken(SecretBytes(tokenBytes), version: version, permissions: permissions, rpID: Credentials.rpID)
  }

  private func react(_ request: ClientPINRequest) throws -> DeviceTransport.Reaction {
    last = request
    if let (subcommand, status) = failure, subcommand == request.subCommand { return .status(status) }
    switch request.subCommand {
    case .getPINRetries: return .ok(ClientPINResponse(pinRetries: retries, powerCycleState: retries == 5))
    case .getUVRetries: return .ok(ClientPINResponse(uvRetries: uvRetries))
    case .getKeyAgreement:
      return .ok(ClientPINResponse(keyAgreement: announcedKey ?? .keyAgreement(x: pair.x, y: pair.y)))
    case .getPINToken, .getPINUVAuthTokenUsingPINWithPermissions:
      guard try accepts(request.pinHashEnc, request) else { return .status(.pinInvalid) }
      return .ok(ClientPINResponse(pinUvAuthToken: try encryptedToken(request)))
    case .getPINUVAuthTokenUsingUVWithPermissions:
      return .ok(ClientPINResponse(pinUvAuthToken: try encryptedToken(request)))
    case .setPIN, .changePIN: return try change(request)
    default: return .status(.invalidSubcommand)
    }
  }

  private func secret(_ request: ClientPINRequest) throws -> SharedSecret {
    try SharedSecret(version: version, with: request.keyAgreement ?? .keyAgreement(x: [], y: []), platform: pair)
  }

  private func encryptedToken(_ request: ClientPINRequest) throws -> [UInt8] {
    try secret(request).encrypt(SecretBytes(token), random: SeededRandom(seed: 99))
  }

  private func accepts(_ hash: [UInt8]?, _ request: ClientPINRequest) throws -> Bool {
    let typed = try secret(request).decrypt(hash ?? []).exposed()
    if typed == Array(Digest.sha256(Array((pin ?? "").utf8)).prefix(16)) {
      retries = 8
      return true
    }
    retries -= 1
    pair = try P256KeyAgreement()
    return false
  }

  private func change(_ request: ClientPINRequest) throws -> DeviceTransport.Reaction {
    let secret = try secret(request)
    let message = (request.newPinEnc ?? []) + (request.pinHashEnc ?? [])
    guard request.pinUvAuthParam == secret.authenticate(message) else { return .status(.pinAuthInvalid) }
    if request.subCommand == .changePIN {
      guard try accepts(request.pinHashEnc, request) else { return .status(.pinInvalid) }
    }
    let padded = try secret.decrypt(request.newPinEnc ?? []).exposed()
    guard padded.count == 64 else { return .status(.pinPolicyViolation) }
    pin = String(decoding: padded.prefix { $0 != 0 }, as: UTF8.self)
    key.info.options?["clientPin"] = true
    return .ok
  }
}
