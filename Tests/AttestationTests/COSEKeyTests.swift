import Attestation
import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Testing

@Suite("A COSE key as a public key")
struct COSEKeyTests {
  @Test("is made from every W3C vector's credential, and its algorithm fits")
  func vectors() throws {
    let file = try Vectors.json("webauthn-l3")
    for vector in try #require(file["vectors"]?.elements) {
      let object = try vector.member("registration").hex("attestationObject")
      let data = try AttestationObject(cbor: CBORDecoder.decode(object)).authData
      let key = try #require(data.attestedCredential).publicKey
      _ = try key.publicKey().subjectPublicKeyInfo()
    }
  }

  static let x = bytes("643566c206dd00227005fa5de69320616ca268043a38f08bde2e9dc45a5cafaf")
  static let y = bytes("171353b2932434703726aae579fa6542432861fe591e481ea22d63997e1a5290")
  static let ec2 = COSEKey.Material.ec2(curve: 1, x: x, y: y)

  @Test("is a point on P-256")
  func point() throws {
    #expect(try COSEKey(Self.ec2, alg: -7).publicKey() == .elliptic(.p256, x: Self.x, y: Self.y))
  }

  @Test(
    "is refused where the algorithm does not go with the key",
    arguments: [
      COSEKey(ec2, alg: -35), COSEKey(ec2, alg: -36), COSEKey(ec2, alg: -8), COSEKey(ec2, alg: -257),
      COSEKey(ec2, alg: nil),
      COSEKey(.ec2(curve: 2, x: x, y: y), alg: -7), COSEKey(.okp(curve: 7, x: x), alg: -8),
      COSEKey(.okp(curve: 6, x: x), alg: -53), COSEKey(.okp(curve: 6, x: x), alg: -7),
      COSEKey(.rsa(n: x, e: [1, 0, 1]), alg: -7), COSEKey(.unknown(keyType: 4, parameters: CBORMap()), alg: -7),
      COSEKey(.ec2(curve: 1, x: x, y: x), alg: -7),
    ])
  func misfit(_ key: COSEKey) {
    #expect { try key.publicKey() } throws: { error in
      switch error as? CryptoError {
      case .invalidKey, .openSSL: true
      default: false
      }
    }
  }

  @Test(
    "is refused where its coordinates have the wrong length",
    arguments: [
      COSEKey(.ec2(curve: 1, x: Array(x.dropFirst()), y: y), alg: -7), COSEKey(.okp(curve: 6, x: [1]), alg: -8),
      COSEKey(.okp(curve: 7, x: x), alg: -53),
    ])
  func length(_ key: COSEKey) {
    #expect { try key.publicKey() } throws: { error in
      if case .invalidLength? = error as? CryptoError { true } else { false }
    }
  }

  @Test("is refused where the algorithm is not known")
  func unknown() {
    #expect(throws: CryptoError.unsupported("COSE algorithm -47")) { try COSEKey(Self.ec2, alg: -47).publicKey() }
  }
}
