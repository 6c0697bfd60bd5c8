import FIDOCrypto
import Octets
import Testing

@Suite("Key agreement on P-256")
struct KeyAgreementTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let privateScalar: String
    let x: String
    let y: String
    let peerX: String
    let peerY: String
    let shared: String
    var testDescription: String { name }
  }

  struct Refused: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let privateScalar: String
    let point: String
    var testDescription: String { name }
  }

  struct File: Decodable {
    let cases: [Case]
    let refused: [Refused]
  }

  @Test("public keys and shared secrets are the published ones", arguments: vectors("ecdh-p256", as: File.self).cases)
  func agrees(_ vector: Case) throws {
    let pair = try P256KeyAgreement(privateScalar: secret(vector.privateScalar))
    #expect(Hex.encode(pair.x) == vector.x)
    #expect(Hex.encode(pair.y) == vector.y)
    let shared = try pair.sharedX(withX: hex(vector.peerX), y: hex(vector.peerY))
    #expect(Hex.encode(shared.exposed()) == vector.shared)
  }

  @Test("invalid points are refused", arguments: vectors("ecdh-p256", as: File.self).refused)
  func refuses(_ vector: Refused) throws {
    let pair = try P256KeyAgreement(privateScalar: secret(vector.privateScalar))
    let coordinates = Array(hex(vector.point).dropFirst())
    #expect(throws: CryptoError.self) {
      _ = try pair.sharedX(withX: Array(coordinates.prefix(32)), y: Array(coordinates.dropFirst(32)))
    }
  }

  struct PINProtocolCase: Decodable, Sendable {
    let privateScalar: String
    let peerX: String
    let peerY: String
    let sharedSecretOne: String
    let sharedSecretTwo: String
    let saltTwo: String
    let saltTwoEncrypted: String
  }

  @Test("the PIN/UV protocols' shared secrets are those of WebAuthn's vectors")
  func pinProtocols() throws {
    let vector = vectors("pin-uv-key-agreement", as: PINProtocolCase.self)
    let pair = try P256KeyAgreement(privateScalar: secret(vector.privateScalar))
    let shared = try pair.sharedX(withX: hex(vector.peerX), y: hex(vector.peerY))
    #expect(Hex.encode(Digest.sha256(shared.exposed())) == vector.sharedSecretOne)

    let salt = [UInt8](repeating: 0, count: 32)
    let code = try HKDF.sha256(secret: shared, salt: salt, info: Array("CTAP2 HMAC key".utf8), count: 32)
    let cipher = try HKDF.sha256(secret: shared, salt: salt, info: Array("CTAP2 AES key".utf8), count: 32)
    #expect(Hex.encode(code.exposed() + cipher.exposed()) == vector.sharedSecretTwo)

    let encrypted = hex(vector.saltTwoEncrypted)
    let salt1 = try AESCBC.decrypt(Array(encrypted.dropFirst(16)), key: cipher, iv: Array(encrypted.prefix(16)))
    #expect(Hex.encode(salt1.exposed()) == vector.saltTwo)
  }

  @Test("two fresh pairs agree")
  func fresh() throws {
    let one = try P256KeyAgreement()
    let other = try P256KeyAgreement()
    #expect(one.x != other.x)
    let shared = try one.sharedX(withX: other.x, y: other.y)
    #expect(ConstantTime.equal(shared, try other.sharedX(withX: one.x, y: one.y)))
    #expect(shared.count == 32)
  }

  @Test("coordinates of other lengths are refused", arguments: [0, 1, 31, 33, 64])
  func lengths(_ count: Int) throws {
    let pair = try P256KeyAgreement()
    let wrong = [UInt8](repeating: 0, count: count)
    #expect(throws: CryptoError.invalidLength(what: "x coordinate", expected: 32, found: count)) {
      _ = try pair.sharedX(withX: wrong, y: pair.y)
    }
    #expect(throws: CryptoError.invalidLength(what: "y coordinate", expected: 32, found: count)) {
      _ = try pair.sharedX(withX: pair.x, y: wrong)
    }
  }

  @Test("a point off the curve is refused, whichever bit is wrong")
  func offCurve() throws {
    let pair = try P256KeyAgreement()
    let peer = try P256KeyAgreement()
    for bit in stride(from: 0, to: 256, by: 7) {
      let error = #expect(throws: CryptoError.self) {
        _ = try pair.sharedX(withX: peer.x, y: flipping(bit, of: peer.y))
      }
      guard case .invalidKey = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("zeros, which some encodings use for the point at infinity, are refused")
  func infinity() throws {
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(throws: CryptoError.self) { _ = try P256KeyAgreement().sharedX(withX: zeros, y: zeros) }
  }

  @Test(
    "private scalars of zero, of the order and above are refused",
    arguments: [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552",
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ])
  func scalars(_ scalar: String) {
    #expect(throws: CryptoError.invalidKey("the private scalar is not between 1 and the order of the curve")) {
      _ = try P256KeyAgreement(privateScalar: secret(scalar))
    }
  }

  @Test("private scalars of other lengths are refused", arguments: [0, 31, 33])
  func scalarLengths(_ count: Int) {
    #expect(throws: CryptoError.invalidLength(what: "private scalar", expected: 32, found: count)) {
      _ = try P256KeyAgreement(privateScalar: SecretBytes([UInt8](repeating: 1, count: count)))
    }
  }

  @Test("the smallest and the largest scalar make the generator and its negative")
  func edges() throws {
    let smallest = try P256KeyAgreement(privateScalar: secret(String(repeating: "00", count: 31) + "01"))
    let largest = try P256KeyAgreement(
      privateScalar: secret("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"))
    // FIPS 186-4 D.1.2.3.
    #expect(Hex.encode(smallest.x) == "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    #expect(Hex.encode(smallest.y) == "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    #expect(largest.x == smallest.x)
    #expect(largest.y != smallest.y)
  }
}
