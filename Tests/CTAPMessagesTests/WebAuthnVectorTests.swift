import CBOR
import CTAPMessages
import Testing

@Suite("The W3C vectors")
struct WebAuthnVectorTests {
  @Test("there are 15")
  func count() { #expect(Vectors.webauthn.count == 15) }

  @Test("an attestation object is read and written back byte for byte", arguments: Vectors.webauthn)
  func attestationObject(vector: WebAuthnVector) throws {
    let bytes = hex(vector.attestationObject)
    let object = try AttestationObject(cbor: CBORDecoder.decode(bytes, mode: .strict))
    let credential = try #require(object.authData.attestedCredential)
    #expect(credential.aaguid.bytes == hex(vector.aaguid))
    #expect(credential.credentialID == hex(vector.credentialId))
    #expect(object.encoded() == bytes)
  }

  @Test("the answer of a key becomes the published attestation object byte for byte", arguments: Vectors.webauthn)
  func rekeying(vector: WebAuthnVector) throws {
    let published = hex(vector.attestationObject)
    let map = try #require(CBORDecoder.decode(published).mapValue)
    let answer: CBORValue = .map([
      3: try #require(map["attStmt"]), 2: try #require(map["authData"]), 1: try #require(map["fmt"]),
    ])
    let frame = CTAPResponse.encode(.ok, answer)
    let (status, value) = try CTAPResponse.decode(frame)
    #expect(status == .ok)
    let response = try MakeCredentialResponse(cborOrEmpty: value)
    #expect(AttestationObject(response).encoded() == published)
    #expect(CTAPResponse.encode(response) == frame)
  }

  @Test("authenticator data of both ceremonies is read and written back byte for byte", arguments: Vectors.webauthn)
  func authenticatorData(vector: WebAuthnVector) throws {
    let map = try #require(CBORDecoder.decode(hex(vector.attestationObject)).mapValue)
    for bytes in [try #require(map["authData"]?.bytesValue), hex(vector.authenticatorData)] {
      let data = try AuthenticatorData.parse(bytes, mode: .strict)
      #expect(data.encoded() == bytes)
      #expect(data.signCount == 0)
      #expect(data.extensions == nil)
      #expect(data.rpIDHash == hex("bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5"))
    }
    #expect(try AuthenticatorData.parse(hex(vector.authenticatorData)).attestedCredential == nil)
  }

  /// The flags byte of each registration, from the table of the specification's vectors.
  static let flags: [String: (byte: UInt8, backup: AuthenticatorData.Backup, algorithm: Int)] = [
    "none-es256": (0x59, .backedUp, -7), "packed-self-es256": (0x5d, .backedUp, -7),
    "none-es256-crossOrigin": (0x45, .deviceBound, -7), "none-es256-topOrigin": (0x41, .deviceBound, -7),
    "none-es256-long-credential-id": (0x49, .eligible, -7), "packed-es256": (0x4d, .eligible, -7),
    "packed-es384": (0x59, .backedUp, -35), "packed-es512": (0x4d, .eligible, -36),
    "packed-rs256": (0x5d, .backedUp, -257), "packed-eddsa": (0x41, .deviceBound, -8),
    "packed-ed448": (0x59, .backedUp, -53), "tpm-es256": (0x4d, .eligible, -7),
    "android-key-es256": (0x5d, .backedUp, -7), "apple-es256": (0x49, .eligible, -7),
    "fido-u2f-es256": (0x41, .deviceBound, -7),
  ]

  @Test("flags, backup state and algorithm are the published ones", arguments: Vectors.webauthn)
  func flags(vector: WebAuthnVector) throws {
    let object = try AttestationObject(cbor: CBORDecoder.decode(hex(vector.attestationObject)))
    let expected = try #require(Self.flags[vector.id])
    #expect(object.authData.flags.rawValue == expected.byte)
    #expect(object.authData.flags.contains([.userPresent, .attestedCredential]))
    #expect(object.authData.flags.contains(.userVerified) == (expected.byte & 4 != 0))
    #expect(object.authData.backup == expected.backup)
    let key = try #require(object.authData.attestedCredential?.publicKey)
    #expect(key.alg == expected.algorithm)
    switch expected.algorithm {
    case -8, -53:
      #expect(key.kty == COSEKey.KeyType.okp)
      #expect(key.crv == (expected.algorithm == -8 ? COSEKey.Curve.ed25519 : COSEKey.Curve.ed448))
      #expect(key.x?.count == (expected.algorithm == -8 ? 32 : 57))
    case -257:
      #expect(key.kty == COSEKey.KeyType.rsa)
      #expect(key.n?.count == 436)
      #expect(key.e == [1, 0, 1])
    default:
      #expect(key.kty == COSEKey.KeyType.ec2)
      #expect(
        key.crv == [-7: COSEKey.Curve.p256, -35: COSEKey.Curve.p384, -36: COSEKey.Curve.p521][expected.algorithm])
      #expect(key.x?.count == key.y?.count)
    }
  }

  @Test("authenticator data cut anywhere is an error", arguments: Vectors.webauthn)
  func truncation(vector: WebAuthnVector) throws {
    let map = try #require(CBORDecoder.decode(hex(vector.attestationObject)).mapValue)
    let bytes = try #require(map["authData"]?.bytesValue)
    for length in 0..<bytes.count {
      #expect(throws: MessageError.self) { try AuthenticatorData.parse(Array(bytes[..<length])) }
    }
    #expect(throws: MessageError.self) { try AuthenticatorData.parse(bytes + [0]) }
  }
}
