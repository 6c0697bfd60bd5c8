import FIDOCrypto
import Octets
import Testing

@Suite("Public keys")
struct PublicKeyTests {
  /// The fixed first bytes of each encoding (RFC 5480, RFC 8410), checked against the openssl command.
  static let prefixes: [(SignatureAlgorithm, String)] = [
    (.es256, "3059301306072a8648ce3d020106082a8648ce3d03010703420004"),
    (.es384, "3076301006072a8648ce3d020106052b8104002203620004"),
    (.es512, "30819b301006072a8648ce3d020106052b810400230381860004"),
    (.eddsa, "302a300506032b6570032100"),
    (.ed448, "3043300506032b6571033a00"),
    (.rs256, "30820122300d06092a864886f70d01010105000382010f003082010a0282010100"),
  ]

  @Test("encodings are the known prefix and the numbers", arguments: prefixes)
  func encoding(_ algorithm: SignatureAlgorithm, prefix: String) throws {
    let key = try TestKeys.key(algorithm).publicKey()
    let numbers: [UInt8]
    switch key {
    case .elliptic(_, let x, let y): numbers = x + y
    case .ed25519(let bytes), .ed448(let bytes): numbers = bytes
    case .rsa(let modulus, let exponent): numbers = modulus + [0x02, UInt8(exponent.count)] + exponent
    }
    #expect(try key.subjectPublicKeyInfo() == hex(prefix) + numbers)
  }

  @Test("decoding gives back what was encoded", arguments: SignatureAlgorithm.allCases)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.key(algorithm).publicKey()
    #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo()) == key)
  }

  @Test("an encoding cut at any byte is refused", arguments: SignatureAlgorithm.allCases)
  func truncated(_ algorithm: SignatureAlgorithm) throws {
    let encoding = try TestKeys.key(algorithm).publicKey().subjectPublicKeyInfo()
    for count in 0..<encoding.count {
      #expect(throws: CryptoError.self) { _ = try PublicKey(subjectPublicKeyInfo: Array(encoding.prefix(count))) }
    }
  }

  @Test("no changed byte of an encoding crashes, and what is read encodes to the same bytes")
  func mutated() throws {
    for algorithm in [.es256, .eddsa, .rs256] as [SignatureAlgorithm] {
      let encoding = try TestKeys.key(algorithm).publicKey().subjectPublicKeyInfo()
      for position in encoding.indices {
        for value in [0x00, 0x7f, 0x80, 0xff, encoding[position] ^ 1] as [UInt8] where value != encoding[position] {
          var changed = encoding
          changed[position] = value
          guard let key = try? PublicKey(subjectPublicKeyInfo: changed) else { continue }
          #expect(try key.subjectPublicKeyInfo() == changed)
        }
      }
    }
  }

  struct Refused: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let spki: String
    var testDescription: String { name }
  }

  struct Odd: Decodable {
    let refused: [Refused]
  }

  @Test("odd keys are refused without stalling", arguments: vectors("odd-public-keys", as: Odd.self).refused)
  func odd(_ vector: Refused) throws {
    let error = #expect(throws: CryptoError.self) { _ = try PublicKey(subjectPublicKeyInfo: hex(vector.spki)) }
    switch error {
    case .invalidKey, .unsupported: break
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test("a coordinate of the wrong length is refused", arguments: EllipticCurve.allCases)
  func coordinates(_ curve: EllipticCurve) throws {
    let size = curve.coordinateSize
    for count in [0, size - 1, size + 1] {
      let wrong = [UInt8](repeating: 1, count: count)
      let right = [UInt8](repeating: 1, count: size)
      #expect(throws: CryptoError.invalidLength(what: "x coordinate", expected: size, found: count)) {
        _ = try PublicKey.elliptic(curve, x: wrong, y: right).subjectPublicKeyInfo()
      }
      #expect(throws: CryptoError.invalidLength(what: "y coordinate", expected: size, found: count)) {
        _ = try PublicKey.elliptic(curve, x: right, y: wrong).subjectPublicKeyInfo()
      }
    }
  }

  @Test("a point off the curve is refused", arguments: [SignatureAlgorithm.es256, .es384, .es512])
  func offCurve(_ algorithm: SignatureAlgorithm) throws {
    guard case .elliptic(let curve, let x, let y) = try TestKeys.key(algorithm).publicKey() else {
      Issue.record("not elliptic")
      return
    }
    for bit in stride(from: 0, to: y.count * 8, by: 13) {
      let error = #expect(throws: CryptoError.self) {
        _ = try PublicKey.elliptic(curve, x: x, y: flipping(bit, of: y)).subjectPublicKeyInfo()
      }
      guard case .invalidKey = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    let field = [UInt8](repeating: 0xff, count: curve.coordinateSize)
    #expect(throws: CryptoError.self) { _ = try PublicKey.elliptic(curve, x: field, y: y).subjectPublicKeyInfo() }
  }

  @Test("Edwards keys of the wrong length are refused", arguments: [0, 31, 33, 56, 58])
  func edwards(_ count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    #expect(throws: CryptoError.invalidLength(what: "Ed25519 key", expected: 32, found: count)) {
      _ = try PublicKey.ed25519(bytes).subjectPublicKeyInfo()
    }
    #expect(throws: CryptoError.invalidLength(what: "Ed448 key", expected: 57, found: count)) {
      _ = try PublicKey.ed448(bytes).subjectPublicKeyInfo()
    }
  }

  @Test("RSA numbers outside the limits are refused")
  func rsaLimits() {
    let modulus: [UInt8] = [0x80] + [UInt8](repeating: 0, count: 254) + [1]
    let cases: [([UInt8], [UInt8], CryptoError)] = [
      ([], [3], .unsupported("an RSA modulus of 0 bits")),
      ([0x7f] + [UInt8](repeating: 0xff, count: 127), [3], .unsupported("an RSA modulus of 1023 bits")),
      ([1] + [UInt8](repeating: 0, count: 1023) + [1], [3], .unsupported("an RSA modulus of 8193 bits")),
      (modulus.dropLast() + [2], [3], .invalidKey("the RSA modulus is even")),
      (modulus, [], .invalidKey("the RSA exponent is even or 1")),
      (modulus, [1], .invalidKey("the RSA exponent is even or 1")),
      (modulus, [1, 0], .invalidKey("the RSA exponent is even or 1")),
      (modulus, [1, 0, 0, 0, 0, 0, 0, 0, 1], .unsupported("an RSA exponent of 65 bits")),
    ]
    for (modulus, exponent, error) in cases {
      #expect(throws: error) { _ = try PublicKey.rsa(modulus: modulus, exponent: exponent).subjectPublicKeyInfo() }
    }
  }

  @Test("the largest RSA key that is taken comes to an end in verifying", .timeLimit(.minutes(15)))
  func largestRSA() throws {
    let modulus = [UInt8](repeating: 0xff, count: 1024)
    let key = PublicKey.rsa(modulus: modulus, exponent: [UInt8](repeating: 0xff, count: 8))
    #expect(try !key.verifies([UInt8](repeating: 0x55, count: 1024), of: [1], algorithm: .rs256))
  }

  @Test("leading zeros of RSA numbers do not change the encoding")
  func leadingZeros() throws {
    guard case .rsa(let modulus, let exponent) = try TestKeys.key(.rs256).publicKey() else {
      Issue.record("not RSA")
      return
    }
    let padded = PublicKey.rsa(modulus: [0, 0] + modulus, exponent: [0] + exponent)
    #expect(
      try padded.subjectPublicKeyInfo() == PublicKey.rsa(modulus: modulus, exponent: exponent).subjectPublicKeyInfo())
  }
}
