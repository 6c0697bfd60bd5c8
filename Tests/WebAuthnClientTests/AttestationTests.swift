import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing

@testable import WebAuthnClient

struct AttestationTests {
  private struct Vector {
    let id: String
    let object: AttestationObject
    let bytes: [UInt8]
  }

  private func registrations() throws -> [Vector] {
    try #require(try vectors("webauthn-l3")["vectors"]?.elements).map { vector in
      let bytes = try #require(vector["registration"]).hex("attestationObject")
      return Vector(
        id: try #require(vector["id"]?.stringValue),
        object: try AttestationObject(cbor: CBORDecoder.decode(bytes, mode: .strict)), bytes: bytes)
    }
  }

  @Test("all 15 attestation objects of the W3C vectors come back byte for byte from their CTAP form")
  func rekeyed() throws {
    let registrations = try registrations()
    #expect(registrations.count == 15)
    for vector in registrations {
      let map: CBORValue = [
        1: .text(vector.object.fmt), 2: .bytes(vector.object.authData.encoded()), 3: .map(vector.object.attStmt),
      ]
      let response = try MakeCredentialResponse(cbor: CBORDecoder.decode(map.encoded(), mode: .strict))
      let conveyed = AttestationPreference.direct.conveyed(AttestationObject(response))
      #expect(conveyed.cbor().encoded() == vector.bytes, "\(vector.id)")
    }
  }

  @Test("none drops the statement and keeps the authenticator data, the AAGUID too")
  func none() throws {
    for vector in try registrations() {
      let conveyed = AttestationPreference.none.conveyed(vector.object)
      #expect(conveyed.fmt == "none", "\(vector.id)")
      #expect(conveyed.attStmt.isEmpty)
      #expect(conveyed.authData.encoded() == vector.object.authData.encoded())
      for other in [AttestationPreference.indirect, .direct, .enterprise] {
        #expect(other.conveyed(vector.object) == vector.object)
      }
    }
  }

  @Test("with none a self attestation stays as it is where the key has no model")
  func anonymousSelfAttestation() throws {
    let selfAttested = try #require(registrations().first { $0.id == "packed-self-es256" }).object
    let credential = try #require(selfAttested.authData.attestedCredential)
    func variant(_ aaguid: AAGUID, fmt: String, _ statement: CBORMap) throws -> AttestationObject {
      AttestationObject(
        fmt: fmt, attStmt: statement,
        authData: try AuthenticatorData(
          rpIDHash: selfAttested.authData.rpIDHash, flags: selfAttested.authData.flags, signCount: 0,
          attestedCredential: try AttestedCredential(
            aaguid: aaguid, credentialID: credential.credentialID, publicKey: credential.publicKey)))
    }
    let anonymous = try variant(.zero, fmt: "packed", selfAttested.attStmt)
    #expect(AttestationPreference.none.conveyed(anonymous) == anonymous)
    var withCertificate = selfAttested.attStmt
    withCertificate["x5c"] = .array([])
    #expect(AttestationPreference.none.conveyed(try variant(.zero, fmt: "packed", withCertificate)).fmt == "none")
    #expect(AttestationPreference.none.conveyed(try variant(.zero, fmt: "tpm", selfAttested.attStmt)).fmt == "none")
  }

  @Test("the client type of every W3C vector follows its BE flag")
  func clientTypes() throws {
    // Flags from the vectors' own table: BE is set in all but these.
    let deviceBound: Set = ["none-es256-crossOrigin", "none-es256-topOrigin", "packed-eddsa", "fido-u2f-es256"]
    for vector in try registrations() {
      let expected = deviceBound.contains(vector.id) ? ClientType.deviceBound : .syncable
      #expect(ClientType(vector.object.authData.flags) == expected, "\(vector.id)")
    }
    #expect(ClientType([.backedUp]) == .deviceBound)
    #expect(ClientType([.backupEligible, .backedUp]) == .syncable)
  }

  /// The DER prefixes of SubjectPublicKeyInfo, as openssl writes them.
  @Test("the public key is SubjectPublicKeyInfo for every algorithm that must have it, and left out for Ed448")
  func publicKeys() throws {
    let prefixes = [
      -7: "3059301306072a8648ce3d020106082a8648ce3d03010703420004",
      -35: "3076301006072a8648ce3d020106052b8104002203620004",
      -36: "30819b301006072a8648ce3d020106052b810400230381860004", -8: "302a300506032b6570032100",
    ]
    var seen: Set<Int> = []
    for vector in try registrations() {
      let key = try #require(vector.object.authData.attestedCredential?.publicKey)
      let algorithm = try #require(key.alg)
      seen.insert(algorithm)
      guard algorithm != -53 else {
        #expect(key.webAuthnSPKI == nil)
        continue
      }
      let info = try #require(key.webAuthnSPKI, "\(vector.id)")
      let decoded = try PublicKey(subjectPublicKeyInfo: info)
      if let prefix = prefixes[algorithm] {
        #expect(Hex.encode(info) == prefix + Hex.encode((key.x ?? []) + (key.y ?? [])))
      } else {
        guard case .rsa(let modulus, let exponent) = decoded else { throw MessageMissing() }
        #expect([modulus, exponent] == [key.n, key.e])
      }
    }
    #expect(seen == [-7, -35, -36, -257, -8, -53])
  }

  private struct MessageMissing: Error {}

  @Test("a key on a curve that its algorithm does not go with has no public key")
  func wrongCurve() {
    let point = [UInt8](repeating: 1, count: 32)
    #expect(COSEKey(.ec2(curve: 2, x: point, y: point), alg: -7).webAuthnSPKI == nil)
    #expect(COSEKey(.okp(curve: 7, x: point), alg: -8).webAuthnSPKI == nil)
    #expect(COSEKey(.okp(curve: 6, x: point), alg: nil).webAuthnSPKI == nil)
  }
}
