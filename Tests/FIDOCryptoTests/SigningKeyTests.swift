import FIDOCrypto
import Octets
import Testing

@Suite("Private keys")
struct SigningKeyTests {
  @Test("a key comes back from PKCS #8", arguments: SignatureAlgorithm.allCases)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.key(algorithm)
    let encoding = try key.pkcs8()
    let read = try SigningKey(pkcs8: encoding, algorithm: algorithm)
    #expect(try read.publicKey() == key.publicKey())
    #expect(ConstantTime.equal(try read.pkcs8(), encoding))
    #expect(try key.publicKey().verifies(try read.sign([1]), of: [1], algorithm: algorithm))
  }

  @Test("PKCS #8 cut at any byte is refused", arguments: SignatureAlgorithm.allCases)
  func truncated(_ algorithm: SignatureAlgorithm) throws {
    let encoding = try TestKeys.key(algorithm).pkcs8().exposed()
    for count in 0..<encoding.count {
      #expect(throws: CryptoError.self) {
        _ = try SigningKey(pkcs8: SecretBytes(encoding.prefix(count)), algorithm: algorithm)
      }
    }
  }

  @Test("PKCS #8 with a byte after it is refused")
  func trailing() throws {
    let encoding = try TestKeys.key(.es256).pkcs8().exposed()
    #expect(throws: CryptoError.invalidKey("1 bytes after the PKCS #8 private key")) {
      _ = try SigningKey(pkcs8: SecretBytes(encoding + [0]), algorithm: .es256)
    }
  }

  @Test("PKCS #8 without a key inside, and one too large to be one, are refused")
  func notKeys() throws {
    // A PrivateKeyInfo with the algorithm 1.2.3.4 and two bytes of key.
    let unknown = hex("300e02010030050603" + "2a0304" + "04020500")
    let error = #expect(throws: CryptoError.self) {
      _ = try SigningKey(pkcs8: SecretBytes(unknown), algorithm: .es256)
    }
    guard case .invalidKey = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: CryptoError.unsupported("a private key of 16385 bytes")) {
      _ = try SigningKey(pkcs8: SecretBytes([UInt8](repeating: 0, count: 16385)), algorithm: .es256)
    }
  }

  @Test("PKCS #8 of a key that does not go with the algorithm is refused")
  func mismatch() throws {
    #expect(throws: CryptoError.unsupported("this kind of key with es384")) {
      _ = try SigningKey(pkcs8: try TestKeys.key(.es256).pkcs8(), algorithm: .es384)
    }
    #expect(throws: CryptoError.unsupported("this kind of key with eddsa")) {
      _ = try SigningKey(pkcs8: try TestKeys.key(.ed448).pkcs8(), algorithm: .eddsa)
    }
  }

  @Test("PKCS #8 whose public half belongs to another key is refused")
  func foreignPublicHalf() throws {
    let encoding = try TestKeys.key(.es256).pkcs8().exposed()
    guard case .elliptic(_, let x, let y) = try SigningKey.generate(.es256).publicKey() else {
      Issue.record("not elliptic")
      return
    }
    // The public point is the end of the encoding.
    let forged = Array(encoding.prefix(encoding.count - 64)) + x + y
    #expect(throws: CryptoError.invalidKey("its private and public halves do not fit")) {
      _ = try SigningKey(pkcs8: SecretBytes(forged), algorithm: .es256)
    }
  }

  @Test("no changed byte of a PKCS #8 key crashes")
  func mutated() throws {
    for (algorithm, step) in [(.es256, 1), (.eddsa, 1), (.rs256, 17)] as [(SignatureAlgorithm, Int)] {
      let encoding = try TestKeys.key(algorithm).pkcs8().exposed()
      for position in stride(from: 0, to: encoding.count, by: step) {
        for value in [0x00, 0x7f, 0x80, 0xff] as [UInt8] {
          var changed = encoding
          changed[position] = value
          guard let key = try? SigningKey(pkcs8: SecretBytes(changed), algorithm: algorithm) else { continue }
          #expect(try key.publicKey().verifies(try key.sign([1]), of: [1], algorithm: algorithm))
        }
      }
    }
  }

  @Test("bare secrets of the wrong length are refused")
  func rawLengths() {
    let cases: [(SignatureAlgorithm, Int)] = [
      (.es256, 0), (.es256, 33), (.es384, 49), (.es512, 67), (.eddsa, 31), (.eddsa, 33), (.ed448, 56), (.ed448, 58),
    ]
    for (algorithm, count) in cases {
      let error = #expect(throws: CryptoError.self) {
        _ = try SigningKey(rawPrivateKey: SecretBytes([UInt8](repeating: 1, count: count)), algorithm: algorithm)
      }
      guard case .invalidLength(_, _, count)? = error else {
        Issue.record("\(algorithm) \(count): \(String(describing: error))")
        return
      }
    }
  }

  @Test("a scalar may come without its leading zeros")
  func shortScalar() throws {
    let short = try SigningKey(rawPrivateKey: SecretBytes([1, 2, 3]), algorithm: .es256)
    let long = try SigningKey(
      rawPrivateKey: SecretBytes([UInt8](repeating: 0, count: 29) + [1, 2, 3]), algorithm: .es256)
    #expect(try short.publicKey() == long.publicKey())
  }

  @Test("RSA keys have no bare form", arguments: [SignatureAlgorithm.rs256, .ps256])
  func rawRSA(_ algorithm: SignatureAlgorithm) {
    #expect(throws: CryptoError.unsupported("an RSA key from bare bytes")) {
      _ = try SigningKey(rawPrivateKey: SecretBytes([1]), algorithm: algorithm)
    }
  }

  @Test("new RSA keys have 2048 bits and the usual exponent")
  func rsaSize() throws {
    guard case .rsa(let modulus, let exponent) = try TestKeys.key(.rs256).publicKey() else {
      Issue.record("not RSA")
      return
    }
    #expect(modulus.count == 256)
    #expect(exponent == [1, 0, 1])
  }

  @Test("one key signs on many threads at once")
  func threads() async throws {
    let key = try TestKeys.key(.es256)
    let publicKey = try key.publicKey()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<32 {
        group.addTask {
          let message = [UInt8(number)]
          return try publicKey.verifies(try key.sign(message), of: message, algorithm: .es256)
        }
      }
      for try await verified in group { #expect(verified) }
    }
  }
}
