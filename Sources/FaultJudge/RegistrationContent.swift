internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto
internal import JSONText
internal import Octets

/// Why a response cannot be right.
struct ResponseFault: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// A registration's response, taken apart.
struct RegistrationContent {
  let format: String
  let statement: CBORMap
  let data: AuthenticatorData
  let credential: AttestedCredential
  private let response: HostReport.Response

  init(_ response: HostReport.Response) throws(ResponseFault) {
    guard let value = try? CBORDecoder.decode(response.attestationObject, mode: .strict),
      let object = try? AttestationObject(cbor: value)
    else { throw ResponseFault("the attestation object cannot be read") }
    guard let credential = object.authData.attestedCredential else { throw ResponseFault("there is no credential") }
    format = object.fmt
    statement = object.attStmt
    data = object.authData
    self.credential = credential
    self.response = response
  }

  /// Whether nobody vouches for it: without a statement the format's name means nothing.
  var isUnattested: Bool { statement.isEmpty && format != "packed" }

  /// Whether the parts that the key writes are as in another run, in which the key drew the same numbers.
  func isLike(_ other: RegistrationContent) -> Bool { data.encoded() == other.data.encoded() }

  /// Holds the response against what was asked for.
  func check(_ task: Assignment.Registration) throws(ResponseFault) {
    guard let client = try? JSONDocument(parsing: response.clientDataJSON).root,
      client["type"]?.stringValue == "webauthn.create", client["origin"]?.stringValue == task.origin,
      client["challenge"]?.stringValue == Base64URL.encode(task.challenge)
    else { throw ResponseFault("the client data is not the request's") }
    guard credential.credentialID == response.credentialID else {
      throw ResponseFault("the id is given twice, differently")
    }
    guard data.rpIDHash == Digest.sha256(Array(task.rpID.utf8)) else { throw ResponseFault("it is for another RP ID") }
    guard data.flags.contains(.userPresent) else { throw ResponseFault("there was no touch") }
    guard data.flags.contains(.userVerified) || !task.demandsVerification else {
      throw ResponseFault("the user was not verified")
    }
    guard let algorithm = credential.publicKey.alg, task.algorithms.contains(algorithm) else {
      throw ResponseFault("the algorithm was not asked for")
    }
  }

  /// What the attestation's signature is worth.
  enum Signature {
    case right
    case none
    /// The certificate cannot be read, and so no public key is there to verify with.
    case certificateUnreadable
  }

  /// Looks at the signature; throws where it is wrong.
  func signature() throws(ResponseFault) -> Signature {
    if isUnattested { return .none }
    if format == "fido-u2f" { return try u2fSignature() }
    guard format == "packed" else { throw ResponseFault("there is no format \"\(format)\" on this key") }
    guard let number = statement["alg"]?.intValue, let algorithm = SignatureAlgorithm(rawValue: number),
      let signature = statement["sig"]?.bytesValue
    else { throw ResponseFault("the statement is broken") }
    let signed = data.encoded() + Digest.sha256(response.clientDataJSON)
    guard let key = try signer() else { return .certificateUnreadable }
    guard (try? key.verifies(signature, of: signed, algorithm: algorithm)) == true else {
      throw ResponseFault("the signature does not verify")
    }
    return .right
  }

  /// The same for a registration by U2F (FIDO U2F Raw Message Formats 1.2 §4.3), which signs neither flags nor counter.
  private func u2fSignature() throws(ResponseFault) -> Signature {
    guard data.flags == [.userPresent, .attestedCredential], data.signCount == 0, credential.aaguid.isZero else {
      throw ResponseFault("U2F has other flags, no model and no counter")
    }
    guard let signature = statement["sig"]?.bytesValue else { throw ResponseFault("the statement is broken") }
    guard case .ec2(COSEKey.Curve.p256, let x, let y) = credential.publicKey.material else {
      throw ResponseFault("the credential's public key is not on P-256")
    }
    let signed =
      [0] + data.rpIDHash + Digest.sha256(response.clientDataJSON) + credential.credentialID + [4] + x + y
    guard let key = try signer() else { return .certificateUnreadable }
    guard (try? key.verifies(signature, of: signed, algorithm: .es256)) == true else {
      throw ResponseFault("the signature does not verify")
    }
    return .right
  }

  /// Who signed: the certificate's subject, or the credential itself; nil where the certificate cannot be read.
  private func signer() throws(ResponseFault) -> PublicKey? {
    if statement["x5c"] != nil {
      guard let der = statement["x5c"]?.arrayValue?.first?.bytesValue else { throw ResponseFault("x5c is no list") }
      guard let certificate = try? Certificate(der: der) else { return nil }
      do throws(CryptoError) {
        return try certificate.publicKey()
      } catch .unsupported {
        return nil
      } catch {
        throw ResponseFault("the certificate's public key is broken")
      }
    }
    guard case .ec2(COSEKey.Curve.p256, let x, let y) = credential.publicKey.material else {
      throw ResponseFault("the credential's public key is not on P-256")
    }
    return .elliptic(.p256, x: x, y: y)
  }
}
