import FIDOCrypto
import Octets
import Testing

@Suite("Signatures")
struct SignatureTests {
  struct ECDSACase: Decodable, Sendable {
    let algorithm: String
    let privateKey: String
    let x: String
    let y: String
    let message: String
    let signature: String
  }

  @Test(
    "the ECDSA keys and signatures of RFC 6979 fit",
    arguments: vectors("ecdsa-rfc6979", as: Cases<ECDSACase>.self).cases)
  func ecdsa(_ vector: ECDSACase) throws {
    let algorithm = SignatureAlgorithm(named: vector.algorithm)
    let key = try SigningKey(rawPrivateKey: secret(vector.privateKey), algorithm: algorithm)
    let expected = PublicKey.elliptic(try #require(algorithm.curve), x: hex(vector.x), y: hex(vector.y))
    #expect(try key.publicKey() == expected)
    let message = hex(vector.message)
    #expect(try expected.verifies(hex(vector.signature), of: message, algorithm: algorithm))
    #expect(try expected.verifies(try key.sign(message), of: message, algorithm: algorithm))
    #expect(try !expected.verifies(hex(vector.signature), of: message + [0], algorithm: algorithm))
  }

  struct EdDSACase: Decodable, Sendable {
    let algorithm: String
    let seed: String
    let publicKey: String
    let message: String
    let signature: String
  }

  @Test(
    "EdDSA makes the signatures of RFC 8032, byte for byte",
    arguments: vectors("eddsa-rfc8032", as: Cases<EdDSACase>.self).cases)
  func eddsa(_ vector: EdDSACase) throws {
    let algorithm = SignatureAlgorithm(named: vector.algorithm)
    let key = try SigningKey(rawPrivateKey: secret(vector.seed), algorithm: algorithm)
    let raw = hex(vector.publicKey)
    let expected: PublicKey = algorithm == .eddsa ? .ed25519(raw) : .ed448(raw)
    #expect(try key.publicKey() == expected)
    #expect(Hex.encode(try key.sign(hex(vector.message))) == vector.signature)
    #expect(try expected.verifies(hex(vector.signature), of: hex(vector.message), algorithm: algorithm))
  }

  struct WycheproofCase: Decodable, Sendable, CustomTestStringConvertible {
    let algorithm: String
    let name: String
    let key: String
    let message: String
    let signature: String
    let valid: Bool
    var testDescription: String { name }
  }

  @Test(
    "Wycheproof's verdicts are ours",
    arguments: vectors("signatures-wycheproof", as: Cases<WycheproofCase>.self).cases)
  func wycheproof(_ vector: WycheproofCase) throws {
    let key = try PublicKey(subjectPublicKeyInfo: hex(vector.key))
    let verdict = try key.verifies(
      hex(vector.signature), of: hex(vector.message), algorithm: SignatureAlgorithm(named: vector.algorithm))
    #expect(verdict == vector.valid)
  }

  @Test("every algorithm's signatures verify, and only for their message", arguments: SignatureAlgorithm.allCases)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.key(algorithm)
    let publicKey = try key.publicKey()
    #expect(key.algorithm == algorithm)
    for message in [[], [0], SystemRandom().bytes(1000)] as [[UInt8]] {
      let signature = try key.sign(message)
      #expect(try publicKey.verifies(signature, of: message, algorithm: algorithm))
      #expect(try !publicKey.verifies(signature, of: message + [1], algorithm: algorithm))
    }
  }

  @Test("a flipped bit of a signature is noticed", arguments: SignatureAlgorithm.allCases)
  func flips(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.key(algorithm)
    let publicKey = try key.publicKey()
    let signature = try key.sign([1, 2, 3])
    // Every bit of short signatures; a prime step covers all bit positions of the long ones.
    let step = signature.count > 80 ? 7 : 1
    for bit in stride(from: 0, to: signature.count * 8, by: step) {
      #expect(try !publicKey.verifies(flipping(bit, of: signature), of: [1, 2, 3], algorithm: algorithm), "bit \(bit)")
    }
  }

  @Test("a signature that is cut, extended or empty is no signature", arguments: SignatureAlgorithm.allCases)
  func lengths(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.key(algorithm)
    let publicKey = try key.publicKey()
    let signature = try key.sign([1, 2, 3])
    for count in 0..<signature.count {
      #expect(try !publicKey.verifies(Array(signature.prefix(count)), of: [1, 2, 3], algorithm: algorithm))
    }
    #expect(try !publicKey.verifies(signature + [0], of: [1, 2, 3], algorithm: algorithm))
  }

  @Test("another key's signature is refused", arguments: SignatureAlgorithm.allCases.filter { $0 != .ps256 })
  func otherKey(_ algorithm: SignatureAlgorithm) throws {
    let signature = try SigningKey.generate(algorithm).sign([1])
    #expect(try !TestKeys.key(algorithm).publicKey().verifies(signature, of: [1], algorithm: algorithm))
  }

  @Test("a key is used only with an algorithm that it goes with", arguments: SignatureAlgorithm.allCases)
  func mismatch(_ algorithm: SignatureAlgorithm) throws {
    let publicKey = try TestKeys.key(algorithm).publicKey()
    let rsa: Set<SignatureAlgorithm> = [.rs256, .ps256]
    for other in SignatureAlgorithm.allCases where other != algorithm && !rsa.isSuperset(of: [algorithm, other]) {
      #expect(throws: CryptoError.unsupported("this kind of key with \(other)")) {
        _ = try publicKey.verifies([1], of: [1], algorithm: other)
      }
    }
  }

  @Test("the two paddings of RSA are not taken for each other")
  func paddings() throws {
    let publicKey = try TestKeys.key(.rs256).publicKey()
    #expect(try !publicKey.verifies(try TestKeys.key(.rs256).sign([1]), of: [1], algorithm: .ps256))
  }

  @Test("an unusable public key is an error, not a wrong signature")
  func unusable() {
    #expect(throws: CryptoError.self) {
      _ = try PublicKey.elliptic(.p256, x: [1], y: [2]).verifies([], of: [], algorithm: .es256)
    }
    let zeros = [UInt8](repeating: 0, count: 48)
    #expect(throws: CryptoError.self) {
      _ = try PublicKey.elliptic(.p384, x: zeros, y: zeros).verifies([], of: [], algorithm: .es384)
    }
  }

  @Test("bytes that are no point of the Edwards curve verify nothing")
  func notAPoint() throws {
    let ones = [UInt8](repeating: 0xff, count: 57)
    #expect(
      try !PublicKey.ed25519(Array(ones.prefix(32))).verifies(
        [UInt8](repeating: 0, count: 64), of: [], algorithm: .eddsa))
    #expect(try !PublicKey.ed448(ones).verifies([UInt8](repeating: 0, count: 114), of: [], algorithm: .ed448))
  }

  @Test("the numbers are those that IANA registered")
  func numbers() {
    let expected: [SignatureAlgorithm: Int] = [
      .es256: -7, .eddsa: -8, .es384: -35, .es512: -36, .ps256: -37, .ed448: -53, .rs256: -257,
    ]
    #expect(expected.count == SignatureAlgorithm.allCases.count)
    for (algorithm, number) in expected { #expect(SignatureAlgorithm(rawValue: number) == algorithm) }
    #expect(SignatureAlgorithm(rawValue: -47) == nil)
  }
}
