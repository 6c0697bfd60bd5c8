internal import CTAPMessages
internal import FIDOCrypto
internal import JSONText
internal import Octets

extension Assignment {
  /// A sign-in as it was asked for.
  public struct SignIn: Sendable {
    /// The RP ID.
    public var rpID: String
    /// The origin that the client data must name.
    public var origin: String
    /// The challenge that the client data must hold.
    public var challenge: [UInt8]
    /// The credentials that may sign: those of the request's list, or of the account.
    public var credentials: [KnownCredential]
    /// Whether the user must be verified.
    public var demandsVerification: Bool

    /// Creates a sign-in.
    public init(
      rpID: String, origin: String, challenge: [UInt8], credentials: [KnownCredential], demandsVerification: Bool
    ) {
      self.rpID = rpID
      self.origin = origin
      self.challenge = challenge
      self.credentials = credentials
      self.demandsVerification = demandsVerification
    }
  }
}

/// What a relying party keeps of a credential.
public struct KnownCredential: Sendable {
  /// The credential's id.
  public let id: [UInt8]
  /// Who it belongs to.
  public let userHandle: [UInt8]
  let publicKey: PublicKey

  /// Keeps what a registration's response says; nil where its credential is not on P-256.
  public init?(_ response: HostReport.Response, userHandle: [UInt8]) {
    guard let content = try? RegistrationContent(response),
      case .ec2(COSEKey.Curve.p256, let x, let y) = content.credential.publicKey.material
    else { return nil }
    id = response.credentialID
    self.userHandle = userHandle
    publicKey = .elliptic(.p256, x: x, y: y)
  }
}

/// A sign-in's response, taken apart.
struct AssertionContent {
  let data: AuthenticatorData
  let credential: KnownCredential
  private let assertion: HostReport.Assertion

  init(_ assertion: HostReport.Assertion, _ task: Assignment.SignIn) throws(ResponseFault) {
    guard let credential = task.credentials.first(where: { $0.id == assertion.credentialID }) else {
      throw ResponseFault("the credential was not asked for")
    }
    guard let data = try? AuthenticatorData.parse(assertion.authenticatorData) else {
      throw ResponseFault("the authenticator data cannot be read")
    }
    self.data = data
    self.credential = credential
    self.assertion = assertion
  }

  /// Holds the response against what was asked for.
  func check(_ task: Assignment.SignIn) throws(ResponseFault) {
    guard let client = try? JSONDocument(parsing: assertion.clientDataJSON).root,
      client["type"]?.stringValue == "webauthn.get", client["origin"]?.stringValue == task.origin,
      client["challenge"]?.stringValue == Base64URL.encode(task.challenge)
    else { throw ResponseFault("the client data is not the request's") }
    guard data.rpIDHash == Digest.sha256(Array(task.rpID.utf8)) else { throw ResponseFault("it is for another RP ID") }
    guard data.flags.contains(.userPresent) else { throw ResponseFault("there was no touch") }
    guard data.flags.contains(.userVerified) || !task.demandsVerification else {
      throw ResponseFault("the user was not verified")
    }
    let signed = assertion.authenticatorData + Digest.sha256(assertion.clientDataJSON)
    guard (try? credential.publicKey.verifies(assertion.signature, of: signed, algorithm: .es256)) == true else {
      throw ResponseFault("the signature does not verify")
    }
  }
}
