import BridgeTestSupport
import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Synchronization
import Testing

@testable import VirtualKey

/// The salts and outputs are those of the W3C's prf test vectors; see Vectors/README.md.
@Suite("hmac-secret")
struct HMACSecretTests {
  @Test("the published vectors come out exactly", arguments: 0..<3)
  func vectors(_ index: Int) throws {
    let file = try vectorFile("prf-hmac-secret")
    let vector = try #require(file["cases"]?.elements?[index])
    let version = try #require(vector["pinUvAuthProtocol"]?.integerValue)
    // Key agreement is symmetric: the published pair has the platform's private half and the key's public half.
    let pair = try P256KeyAgreement(privateScalar: SecretBytes(try file.hex("platform_key_agreement_private_key")))
    let other = try #require(file["authenticator_key_agreement_public_key"])
    let point = try pair.sharedX(withX: other.hex("x"), y: other.hex("y"))
    let secret = try #require(SharedSecret(version: version, sharedX: point))

    let salts = try #require(secret.decrypt(try vector.hex("salt_enc")))
    var expected = try vector.hex("salt1")
    if vector["salt2"] != nil { expected += try vector.hex("salt2") }
    #expect(salts.exposed() == expected)

    let credRandom = SecretBytes(try file.hex("authenticator_cred_random"))
    let outputs = HMACSecret.outputs(salts, credRandom: credRandom)
    expected = try vector.hex("output1")
    if vector["output2"] != nil { expected += try vector.hex("output2") }
    #expect(outputs.exposed() == expected)

    let encrypted = try vector.hex("output_enc")
    let random = FixedRandom(version == 2 ? Array(encrypted.prefix(16)) : [])
    #expect(secret.encrypt(outputs, random) == encrypted)
    #expect(secret.decrypt(encrypted)?.exposed() == expected)
  }

  @Test("the keys of both protocols are the published ones", arguments: 0..<3)
  func derivation(_ index: Int) throws {
    let file = try vectorFile("prf-hmac-secret")
    let vector = try #require(file["cases"]?.elements?[index])
    let version = try #require(vector["pinUvAuthProtocol"]?.integerValue)
    let pair = try P256KeyAgreement(privateScalar: SecretBytes(try file.hex("platform_key_agreement_private_key")))
    let other = try #require(file["authenticator_key_agreement_public_key"])
    let point = try pair.sharedX(withX: other.hex("x"), y: other.hex("y"))
    let secret = try #require(SharedSecret(version: version, sharedX: point))
    let macKey = SecretBytes(Array(try vector.hex("shared_secret").prefix(32)))
    let mac = HMAC.sha256(key: macKey, [1, 2, 3])
    #expect(secret.verifies(version == 1 ? Array(mac.prefix(16)) : mac, of: [1, 2, 3]))
    #expect(!secret.verifies(version == 1 ? mac : Array(mac.prefix(16)), of: [1, 2, 3]))
  }

  @Test("protocols that do not exist have no secret, and broken ciphertexts no plaintext")
  func broken() throws {
    let point = SecretBytes([UInt8](repeating: 1, count: 32))
    #expect(SharedSecret(version: 0, sharedX: point) == nil)
    #expect(SharedSecret(version: 3, sharedX: point) == nil)
    for version in [1, 2] {
      let secret = try #require(SharedSecret(version: version, sharedX: point))
      #expect(secret.decrypt([1, 2, 3]) == nil)
      #expect(secret.encrypt(SecretBytes([1, 2, 3]), SystemRandom()) == nil)
    }
  }

  private func evaluate(
    _ host: PINHost, _ id: [UInt8], _ salts: [UInt8], verified: Bool = false
  ) throws -> [UInt8] {
    var request = GetAssertionRequest.sample(allow: [id])
    request.extensions = ["hmac-secret": try host.hmacSecret(salts)]
    if verified {
      try host.obtain(host.token("1234"))
      request = host.signed(request)
    }
    let output = try host.key.get(request).authData.extensions?["hmac-secret"]?.bytesValue
    return try host.decrypt(try #require(output))
  }

  @Test("outputs depend on credential, salt and verification, and on nothing else", arguments: [1, 2], [true, false])
  func outputs(_ version: Int, _ resident: Bool) throws {
    let key = try TestKey()
    var request = MakeCredentialRequest.sample(rk: resident)
    request.extensions = ["hmac-secret": true]
    let made = try key.make(request)
    #expect(made.authData.extensions == ["hmac-secret": true])
    request.user.id = [2]
    let other = try key.make(request)
    let host = try PINHost(key, version: version)
    let one = [UInt8](repeating: 1, count: 32)
    let two = [UInt8](repeating: 2, count: 32)
    let first = try evaluate(host, made.id, one)
    #expect(first.count == 32)
    #expect(try evaluate(host, made.id, one) == first)
    let both = try evaluate(host, made.id, one + two)
    #expect(Array(both.prefix(32)) == first)
    #expect(Array(both.suffix(32)) == (try evaluate(host, made.id, two)))
    #expect(Array(both.suffix(32)) != first)
    #expect(try evaluate(host, other.id, one) != first)
    #expect(try host.status(host.setPIN("1234")) == .ok)
    let verified = try evaluate(host, made.id, one, verified: true)
    #expect(verified != first)
    // The same in the next life of the key.
    let later = try PINHost(TestKey(store: key.store, seed: 55), version: version)
    #expect(try evaluate(later, made.id, one) == first)
    #expect(try evaluate(later, made.id, one, verified: true) == verified)
  }

  @Test("hmac-secret-mc gives at once what the next sign-in would give", arguments: [1, 2])
  func atCreation(_ version: Int) throws {
    let key = try TestKey()
    let host = try PINHost(key, version: version)
    let salt = [UInt8](repeating: 9, count: 32)
    var request = MakeCredentialRequest.sample()
    request.extensions = ["hmac-secret": true, "hmac-secret-mc": try host.hmacSecret(salt)]
    let made = try key.make(request)
    let output = try #require(made.authData.extensions?["hmac-secret-mc"]?.bytesValue)
    #expect(made.authData.extensions?["hmac-secret"] == true)
    #expect(try host.decrypt(output) == (try evaluate(host, made.id, salt)))
    request.extensions["hmac-secret"] = nil
    #expect(try key.makeStatus(request) == .missingParameter)
    request.extensions["hmac-secret"] = false
    #expect(try key.makeStatus(request) == .missingParameter)
  }

  @Test("hmac-secret false asks for nothing")
  func off() throws {
    var request = MakeCredentialRequest.sample()
    request.extensions = ["hmac-secret": false]
    #expect(try TestKey().make(request).authData.extensions == nil)
  }

  @Test("each of several accounts gets outputs of its own")
  func several() throws {
    let key = try TestKey()
    for user in 1...2 { _ = try key.make(.sample(user: [UInt8(user)], rk: true)) }
    let host = try PINHost(key)
    var request = GetAssertionRequest.sample()
    request.extensions = ["hmac-secret": try host.hmacSecret([UInt8](repeating: 1, count: 32))]
    let first = try key.get(request).authData.extensions?["hmac-secret"]?.bytesValue
    let next: GetAssertionResponse = try key.answer(.getNextAssertion)
    let second = next.authData.extensions?["hmac-secret"]?.bytesValue
    #expect(try host.decrypt(try #require(first)) != host.decrypt(try #require(second)))
  }

  @Test(
    "an input that breaks a rule gets the rule's status",
    arguments: [
      Spoiled("no key agreement", .missingParameter) { $0[1] = nil },
      Spoiled("no salts", .missingParameter) { $0[2] = nil },
      Spoiled("no MAC", .missingParameter) { $0[3] = nil },
      Spoiled("salts that are no bytes", .cborUnexpectedType) { $0[2] = 1 },
      Spoiled("a key that is no map", .cborUnexpectedType) { $0[1] = 1 },
      Spoiled("a wrong MAC", .pinAuthInvalid) { $0[3] = .bytes([UInt8](repeating: 0, count: 32)) },
      Spoiled("protocol 3", .invalidParameter) { $0[4] = 3 },
      // Without a protocol it is the first, under which this MAC is too long.
      Spoiled("no protocol", .pinAuthInvalid) { $0[4] = nil },
    ] as [Spoiled<CBORMap>])
  func rules(_ spoiled: Spoiled<CBORMap>) throws {
    let key = try TestKey()
    let made = try key.make(.sample())
    let host = try PINHost(key)
    var input = try #require(try host.hmacSecret([UInt8](repeating: 1, count: 32)).mapValue)
    spoiled.change(&input)
    var request = GetAssertionRequest.sample(allow: [made.id])
    request.extensions = ["hmac-secret": .map(input)]
    #expect(try key.getStatus(request) == spoiled.status)
  }

  @Test("salts of other lengths are refused", arguments: [0, 16, 48, 80])
  func saltLengths(_ count: Int) throws {
    let key = try TestKey()
    let made = try key.make(.sample())
    let host = try PINHost(key)
    var request = GetAssertionRequest.sample(allow: [made.id])
    request.extensions = ["hmac-secret": try host.hmacSecret([UInt8](repeating: 1, count: count))]
    #expect(try key.getStatus(request) == .invalidLength)
  }

  @Test("nothing is evaluated behind a person's back")
  func silent() throws {
    let key = try TestKey()
    let made = try key.make(.sample())
    let host = try PINHost(key)
    var request = GetAssertionRequest.sample(allow: [made.id])
    request.extensions = ["hmac-secret": try host.hmacSecret([UInt8](repeating: 1, count: 32))]
    request.options.up = false
    #expect(try key.getStatus(request) == .unsupportedOption)
  }
}

/// A source that gives out bytes that were decided beforehand.
private final class FixedRandom: RandomSource {
  private let fixed: [UInt8]

  init(_ fixed: [UInt8]) { self.fixed = fixed }

  func bytes(_ count: Int) -> [UInt8] { Array(fixed.prefix(count)) }
}
