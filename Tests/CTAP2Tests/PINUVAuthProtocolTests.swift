import BridgeTestSupport
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing

@testable import CTAP2

@Suite("A PIN/UV auth protocol")
struct PINUVAuthProtocolTests {
  @Test(
    "is two where the key lists it, else one, else none",
    arguments: [
      ([2, 1], PINUVAuthProtocol.two), ([1, 2], .two), ([1], .one), ([2], .two), ([3, 1], .one), ([3], nil), ([], .one),
      (nil, .one),
    ] as [([Int]?, PINUVAuthProtocol?)])
  func preference(_ listed: [Int]?, _ expected: PINUVAuthProtocol?) {
    #expect(PINUVAuthProtocol.preferred(among: listed) == expected)
  }

  @Test("allows tokens of 16 or 32 bytes, and with two of 32 alone")
  func tokenSizes() {
    #expect((0...64).filter { PINUVAuthProtocol.one.allowsToken(count: $0) } == [16, 32])
    #expect((0...64).filter { PINUVAuthProtocol.two.allowsToken(count: $0) } == [32])
  }

  /// The shared secret of python-fido2's vector for protocol one.
  static func one() throws -> (SharedSecret, JSONValue) {
    let vector = try Vectors.json("python-fido2-ctap2").member("pinProtocolOne")
    let platform = try P256KeyAgreement(privateScalar: SecretBytes(try vector.hex("platformPrivateKey")))
    let keys = COSEKey.keyAgreement(x: try vector.hex("keyX"), y: try vector.hex("keyY"))
    return (try SharedSecret(version: .one, with: keys, platform: platform), vector)
  }

  @Test("one agrees on the secret of the published vector")
  func sharedSecretOne() throws {
    let (secret, vector) = try Self.one()
    #expect(secret.platformKey.x == (try vector.hex("platformX")))
    #expect(secret.platformKey.y == (try vector.hex("platformY")))
    #expect(secret.platformKey.alg == -25)
    let expected = HMAC.sha256(key: SecretBytes(try vector.hex("sharedSecret")), Array("message".utf8))
    #expect(secret.authenticate(Array("message".utf8)) == Array(expected.prefix(16)))
  }

  @Test("one encrypts a PIN's digest and decrypts a token as published")
  func encryptionOne() throws {
    let (secret, vector) = try Self.one()
    let digest = SecretBytes(Array(Digest.sha256(Array("1234".utf8)).prefix(16)))
    #expect(try secret.encrypt(digest, random: SeededRandom()) == vector.hex("pinHashEnc"))
    #expect(try secret.decrypt(try vector.hex("encryptedToken")).exposed() == vector.hex("token"))
  }

  @Test("one authenticates a new PIN, with and without the old one, as published")
  func authenticationOne() throws {
    let (secret, vector) = try Self.one()
    let set = try vector.member("setPIN")
    #expect(secret.authenticate(try set.hex("newPinEnc")) == (try set.hex("pinUvAuthParam")))
    let change = try vector.member("changePIN")
    let message = try change.hex("newPinEnc") + change.hex("pinHashEnc")
    #expect(secret.authenticate(message) == (try change.hex("pinUvAuthParam")))
  }

  @Test("encrypts and decrypts the salts and outputs of the W3C vectors, both protocols", arguments: 0..<3)
  func saltVectors(_ index: Int) throws {
    let file = try Vectors.json("prf-hmac-secret")
    let vector = try #require(file["cases"]?.elements)[index]
    let key = try file.member("authenticator_key_agreement_public_key")
    let number = try #require(vector["pinUvAuthProtocol"]?.integerValue)
    let version = try #require(PINUVAuthProtocol(rawValue: number))
    let platform = try P256KeyAgreement(
      privateScalar: SecretBytes(try file.hex("platform_key_agreement_private_key")))
    let secret = try SharedSecret(
      version: version, with: .keyAgreement(x: try key.hex("x"), y: try key.hex("y")), platform: platform)

    let encrypted = try vector.hex("salt_enc")
    var salts = try vector.hex("salt1")
    if vector["salt2"] != nil { salts += try vector.hex("salt2") }
    #expect(try secret.decrypt(encrypted).exposed() == salts)
    let random = FixedRandom([Array(encrypted.prefix(16))])
    #expect(try secret.encrypt(SecretBytes(salts), random: random) == encrypted)

    var outputs = try vector.hex("output1")
    if vector["output2"] != nil { outputs += try vector.hex("output2") }
    #expect(try secret.decrypt(try vector.hex("output_enc")).exposed() == outputs)

    let shared = try vector.hex("shared_secret")
    let expected = HMAC.sha256(key: SecretBytes(Array(shared.prefix(32))), encrypted)
    #expect(secret.authenticate(encrypted) == Array(expected.prefix(version.parameterSize)))
  }

  @Test("agrees with a key that leaves out its algorithm, and with none that names another or another curve")
  func oddKeys() throws {
    let vector = try Vectors.json("python-fido2-ctap2").member("pinProtocolOne")
    let (x, y) = (try vector.hex("keyX"), try vector.hex("keyY"))
    let platform = try P256KeyAgreement()
    _ = try SharedSecret(version: .two, with: COSEKey(.ec2(curve: 1, x: x, y: y), alg: nil), platform: platform)
    let refused = [
      COSEKey(.ec2(curve: 1, x: x, y: y), alg: -7), COSEKey(.ec2(curve: 2, x: x, y: y), alg: -25),
      COSEKey(.okp(curve: 6, x: x), alg: -25), COSEKey(.ec2(curve: 1, x: x, y: x), alg: -25),
    ]
    for key in refused {
      #expect(throws: CryptoError.self) { try SharedSecret(version: .two, with: key, platform: platform) }
    }
  }

  @Test("two refuses an answer that has no room for its vector", arguments: [0, 1, 16])
  func shortAnswer(_ count: Int) throws {
    let file = try Vectors.json("prf-hmac-secret")
    let key = try file.member("authenticator_key_agreement_public_key")
    let secret = try SharedSecret(
      version: .two, with: .keyAgreement(x: try key.hex("x"), y: try key.hex("y")), platform: try P256KeyAgreement())
    #expect(throws: CryptoError.invalidLength(what: "encrypted answer", expected: 32, found: count)) {
      try secret.decrypt([UInt8](repeating: 0, count: count))
    }
  }
}
