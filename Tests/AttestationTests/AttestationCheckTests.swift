import Attestation
import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing

@Suite("The check of an attestation")
struct AttestationCheckTests {
  struct Attested {
    var fmt: String
    var statement: CBORMap?
    var authData: AuthenticatorData
    var clientDataHash: [UInt8]

    var verdict: AttestationVerdict {
      AttestationCheck.verify(fmt: fmt, attStmt: statement, authData: authData, clientDataHash: clientDataHash)
    }
  }

  /// A vector of WebAuthn L3, by its name there.
  static func w3c(_ id: String) throws -> Attested {
    let file = try Vectors.json("webauthn-l3")
    let all = try #require(file["vectors"]?.elements)
    let vector = try #require(all.first { $0["id"]?.stringValue == id })
    let registration = try vector.member("registration")
    let object = try AttestationObject(cbor: CBORDecoder.decode(try registration.hex("attestationObject")))
    return Attested(
      fmt: object.fmt, statement: object.attStmt, authData: object.authData,
      clientDataHash: Digest.sha256(try registration.hex("clientDataJSON")))
  }

  static func pythonPacked() throws -> Attested {
    let vector = try Vectors.json("python-fido2-ctap2").member("packed")
    let response = try MakeCredentialResponse(cbor: CBORDecoder.decode(try vector.hex("response")))
    return Attested(
      fmt: response.fmt, statement: response.attStmt, authData: response.authData,
      clientDataHash: try vector.hex("clientDataHash"))
  }

  static let signed = [
    "packed-self-es256", "packed-es256", "packed-es384", "packed-es512", "packed-rs256", "packed-eddsa",
    "packed-ed448", "fido-u2f-es256",
  ]

  @Test("verifies every packed and fido-u2f vector of WebAuthn L3", arguments: signed)
  func vectors(_ id: String) throws {
    #expect(try Self.w3c(id).verdict == .verified)
  }

  @Test("verifies the formats that no USB key makes", arguments: ["tpm-es256", "android-key-es256", "apple-es256"])
  func otherFormats(_ id: String) throws {
    #expect(try Self.w3c(id).verdict == .verified)
  }

  @Test("has nothing to check in the format none, and in formats that are registered and not handled")
  func nothingToCheck() throws {
    var none = try Self.w3c("none-es256")
    for format in ["none", "android-safetynet", "compound"] {
      none.fmt = format
      #expect(none.verdict == .nothingToCheck)
    }
  }

  @Test("verifies a packed attestation of a YubiKey")
  func yubiKey() throws {
    #expect(try Self.pythonPacked().verdict == .verified)
  }

  /// A bit in each byte, another one in each.
  static func bits(of bytes: [UInt8]) -> [Int] { bytes.indices.map { $0 * 8 + $0 * 3 % 8 } }

  @Test("finds a bit that was flipped in any byte of the signature", arguments: signed)
  func flippedSignature(_ id: String) throws {
    let whole = try Self.w3c(id)
    let signature = try #require(whole.statement?["sig"]?.bytesValue)
    for bit in Self.bits(of: signature) {
      var flipped = signature
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      var spoiled = whole
      spoiled.statement?["sig"] = .bytes(flipped)
      guard case .wrong = spoiled.verdict else {
        Issue.record("bit \(bit) of the signature gives \(spoiled.verdict)")
        return
      }
    }
  }

  /// The bytes of authenticator data that a U2F signature does not cover.
  static let outsideU2F = 32..<55

  @Test("finds a bit that was flipped in any byte of the authenticator data that can still be read", arguments: signed)
  func flippedData(_ id: String) throws {
    let whole = try Self.w3c(id)
    let data = whole.authData.encoded()
    var read = 0
    for bit in Self.bits(of: data) where whole.fmt == "packed" || !Self.outsideU2F.contains(bit / 8) {
      var flipped = data
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      var spoiled = whole
      guard let authData = try? AuthenticatorData.parse(flipped) else { continue }
      spoiled.authData = authData
      read += 1
      switch spoiled.verdict {
      case .wrong: break
      // A credential whose key is damaged cannot be checked against itself.
      case .notCheckable where id.contains("self"): break
      default:
        Issue.record("bit \(bit) of the authenticator data gives \(spoiled.verdict)")
        return
      }
    }
    #expect(read > data.count / 2)
  }

  @Test("finds a bit that was flipped in any byte of the client data hash", arguments: signed)
  func flippedHash(_ id: String) throws {
    let whole = try Self.w3c(id)
    for bit in Self.bits(of: whole.clientDataHash) {
      var spoiled = whole
      spoiled.clientDataHash[bit / 8] ^= 1 << UInt8(bit % 8)
      guard case .wrong = spoiled.verdict else {
        Issue.record("bit \(bit) of the hash gives \(spoiled.verdict)")
        return
      }
    }
  }

  @Test(
    "finds an algorithm that was changed in the statement, known or not",
    arguments: [-8, -257, -37, -6, -5, 7, -70000, 0], ["packed-es256", "packed-self-es256"])
  func changedAlgorithm(_ number: Int, _ id: String) throws {
    var spoiled = try Self.w3c(id)
    spoiled.statement?["alg"] = .int(number)
    guard case .wrong = spoiled.verdict else {
      Issue.record("\(spoiled.verdict)")
      return
    }
  }

  @Test("finds a format name that was changed over a packed statement")
  func changedFormat() throws {
    var spoiled = try Self.w3c("packed-es256")
    spoiled.fmt = "pacjed"
    guard case .wrong(let reason) = spoiled.verdict else {
      Issue.record("\(spoiled.verdict)")
      return
    }
    #expect(reason.contains("pacjed"))
  }

  @Test("has nothing to check in a format that is not known")
  func unknownFormat() throws {
    var other = try Self.w3c("none-es256")
    other.fmt = "vendor-2031"
    #expect(other.verdict == .nothingToCheck)
    other.statement = ["alg": -7, "sig": .bytes([1, 2, 3])]
    #expect(other.verdict == .nothingToCheck)
  }

  @Test("says that it cannot check an algorithm that is not known here")
  func unknownAlgorithm() throws {
    var odd = try Self.w3c("packed-es256")
    odd.statement?["alg"] = -47
    odd.statement?["sig"] = .bytes([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01])
    guard case .notCheckable(let reason) = odd.verdict else {
      Issue.record("\(odd.verdict)")
      return
    }
    #expect(reason.contains("-47"))
  }

  @Test(
    "says that it cannot check a certificate that OpenSSL does not read", arguments: ["packed-es256", "fido-u2f-es256"])
  func unreadableCertificate(_ id: String) throws {
    var odd = try Self.w3c(id)
    odd.statement?["x5c"] = .array([.bytes([0x30, 0x03, 0x02, 0x01, 0x00])])
    guard case .notCheckable = odd.verdict else {
      Issue.record("\(odd.verdict)")
      return
    }
  }

  @Test("says that it cannot check ECDAA")
  func ecdaa() throws {
    var odd = try Self.w3c("packed-es256")
    odd.statement?["ecdaaKeyId"] = .bytes([1])
    #expect(odd.verdict == .notCheckable("ECDAA signatures are not supported"))
  }

  @Test("finds a packed statement that lacks a member or has the wrong type in one", arguments: ["alg", "sig", "x5c"])
  func incompletePacked(_ member: String) throws {
    var spoiled = try Self.w3c("packed-es256")
    spoiled.statement?[member] = .text("?")
    guard case .wrong = spoiled.verdict else {
      Issue.record("\(spoiled.verdict)")
      return
    }
    // Without its certificates it reads as self attestation, signed by another key.
    spoiled = try Self.w3c("packed-es256")
    spoiled.statement?[member] = nil
    guard case .wrong = spoiled.verdict else {
      Issue.record("\(spoiled.verdict)")
      return
    }
  }

  @Test("finds a fido-u2f statement that lacks a member or has too many certificates")
  func incompleteU2F() throws {
    let whole = try Self.w3c("fido-u2f-es256")
    let certificate = try #require(whole.statement?["x5c"]?.arrayValue?.first)
    let x5c: [CBORValue?] = [nil, .array([]), .array([certificate, certificate]), .array(["?"])]
    for value in x5c {
      var spoiled = whole
      spoiled.statement?["x5c"] = value
      #expect(spoiled.verdict == .wrong("x5c does not hold one certificate"))
    }
    var spoiled = whole
    spoiled.statement?["sig"] = nil
    #expect(spoiled.verdict == .wrong("the statement has no signature"))
    spoiled = whole
    spoiled.statement = nil
    #expect(spoiled.verdict == .wrong("the statement has no signature"))
  }

  @Test("finds a fido-u2f statement whose keys are not on P-256")
  func otherCurveU2F() throws {
    var spoiled = try Self.w3c("fido-u2f-es256")
    let key = try SigningKey.generate(.es384)
    let certificate = try Certificate.makeAttestation(
      key: key,
      subject: CertificateName(country: "XX", organization: "Test", organizationalUnit: "Unit", commonName: "Key"),
      aaguid: nil, serialNumber: [1], notBefore: 0, notAfter: 1)
    spoiled.statement?["x5c"] = .array([.bytes(certificate.der)])
    #expect(spoiled.verdict == .wrong("the certificate's key is not on P-256"))
    spoiled = try Self.w3c("fido-u2f-es256")
    spoiled.authData = try Self.w3c("packed-es384").authData
    #expect(spoiled.verdict == .wrong("the credential's public key is not on P-256"))
  }

  @Test("finds authenticator data without a credential", arguments: ["packed-self-es256", "fido-u2f-es256"])
  func noCredential(_ id: String) throws {
    var spoiled = try Self.w3c(id)
    spoiled.authData = try AuthenticatorData(
      rpIDHash: spoiled.authData.rpIDHash, flags: .userPresent, signCount: 0)
    #expect(spoiled.verdict == .wrong("the authenticator data holds no credential"))
  }
}
