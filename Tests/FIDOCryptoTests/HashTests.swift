import FIDOCrypto
import Octets
import Testing

@Suite("Digests, HMAC and HKDF")
struct HashTests {
  struct DigestCase: Decodable, Sendable {
    let algorithm: String
    let message: String
    let `repeat`: Int
    let digest: String
  }

  @Test("SHA-2 gives the digests that NIST publishes", arguments: vectors("sha2", as: Cases<DigestCase>.self).cases)
  func digests(_ vector: DigestCase) throws {
    let message = Array(String(repeating: vector.message, count: vector.repeat).utf8)
    let digest =
      switch vector.algorithm {
      case "sha256": Digest.sha256(message)
      case "sha384": Digest.sha384(message)
      default: Digest.sha512(message)
      }
    #expect(Hex.encode(digest) == vector.digest)
  }

  struct HMACCase: Decodable, Sendable {
    let key: String
    let message: String
    let code: String
  }

  @Test("HMAC gives the codes of RFC 4231", arguments: vectors("hmac-sha256", as: Cases<HMACCase>.self).cases)
  func codes(_ vector: HMACCase) {
    #expect(Hex.encode(HMAC.sha256(key: secret(vector.key), hex(vector.message))) == vector.code)
  }

  @Test("HMAC takes an empty key and an empty message")
  func emptyKey() {
    // The value that Wikipedia's article on HMAC lists for HMAC_SHA256("", "").
    let expected = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    #expect(Hex.encode(HMAC.sha256(key: SecretBytes([]), [])) == expected)
  }

  struct HKDFCase: Decodable, Sendable {
    let secret: String
    let salt: String
    let info: String
    let output: String
  }

  @Test("HKDF gives the keys of RFC 5869", arguments: vectors("hkdf-sha256", as: Cases<HKDFCase>.self).cases)
  func keys(_ vector: HKDFCase) throws {
    let output = hex(vector.output)
    let key = try HKDF.sha256(
      secret: secret(vector.secret), salt: hex(vector.salt), info: hex(vector.info), count: output.count)
    #expect(key.exposed() == output)
  }

  @Test("HKDF refuses lengths that the derivation cannot give", arguments: [-1, 0, 8161, Int.max])
  func lengths(_ count: Int) {
    #expect(throws: CryptoError.self) {
      _ = try HKDF.sha256(secret: SecretBytes([1]), salt: [], info: [], count: count)
    }
  }

  @Test("HKDF gives its longest key")
  func longest() throws {
    let key = try HKDF.sha256(secret: SecretBytes([1]), salt: [], info: [], count: 8160)
    let short = try HKDF.sha256(secret: SecretBytes([1]), salt: [], info: [], count: 32)
    #expect(key.count == 8160)
    #expect(Array(key.exposed().prefix(32)) == short.exposed())
  }

  @Test("HKDF refuses an empty secret and says so")
  func emptySecret() {
    #expect(throws: CryptoError.invalidLength(what: "secret", expected: 1, found: 0)) {
      _ = try HKDF.sha256(secret: SecretBytes([]), salt: [], info: [], count: 32)
    }
  }

  @Test("info that is too long for OpenSSL is refused")
  func longInfo() {
    let info = [UInt8](repeating: 0, count: 1 << 20)
    #expect(throws: CryptoError.openSSL(operation: "derive a key with HKDF", reasons: [])) {
      _ = try HKDF.sha256(secret: SecretBytes([1]), salt: [], info: info, count: 32)
    }
  }
}

@Suite("The system's random source")
struct RandomTests {
  @Test("the count is what was asked for", arguments: [0, 1, 16, 32, 1000, (1 << 20) + 3])
  func counts(_ count: Int) {
    #expect(SystemRandom().bytes(count).count == count)
  }

  @Test("a negative count gives nothing")
  func negative() {
    #expect(SystemRandom().bytes(-1).isEmpty)
  }

  @Test("two draws differ, and a long draw is random to its end")
  func fresh() {
    #expect(SystemRandom().bytes(32) != SystemRandom().bytes(32))
    let long = SystemRandom().bytes((1 << 20) + 64)
    #expect(long.suffix(64).contains { $0 != 0 })
  }
}
