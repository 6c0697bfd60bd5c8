public import CTAPMessages
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
    /// Whether the request names them.
    public var isListed: Bool
    /// The credential of the account that the person means, or nil where any of them will do.
    public var wanted: [UInt8]?
    /// Whether the user must be verified.
    public var demandsVerification: Bool
    /// Whether the key is to be spoken to in U2F.
    public var isU2F: Bool

    /// Creates a sign-in.
    public init(
      rpID: String, origin: String, challenge: [UInt8], credentials: [KnownCredential], isListed: Bool = true,
      wanted: [UInt8]? = nil, demandsVerification: Bool, isU2F: Bool = false
    ) {
      self.rpID = rpID
      self.origin = origin
      self.challenge = challenge
      self.credentials = credentials
      self.isListed = isListed
      self.wanted = wanted
      self.demandsVerification = demandsVerification
      self.isU2F = isU2F
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

  /// Keeps a credential of a key, as the key told it; nil where it is not on P-256.
  public init?(_ credential: AttestedCredential, userHandle: [UInt8]) {
    guard case .ec2(COSEKey.Curve.p256, let x, let y) = credential.publicKey.material else { return nil }
    id = credential.credentialID
    self.userHandle = userHandle
    publicKey = .elliptic(.p256, x: x, y: y)
  }
}

extension HostReport {
  /// The parts of a sign-in's response.
  public struct Assertion: Hashable, Sendable {
    /// The credential's id.
    public var credentialID: [UInt8]
    /// The client data.
    public var clientDataJSON: [UInt8]
    /// The authenticator data as it was signed.
    public var authenticatorData: [UInt8]
    /// The signature.
    public var signature: [UInt8]
    /// Whose credential it is, where the key said so.
    public var userHandle: [UInt8]?

    /// Creates an assertion.
    public init(
      credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
      userHandle: [UInt8]?
    ) {
      self.credentialID = credentialID
      self.clientDataJSON = clientDataJSON
      self.authenticatorData = authenticatorData
      self.signature = signature
      self.userHandle = userHandle
    }
  }
}

/// A sign-in's response, taken apart.
struct AssertionContent {
  let data: AuthenticatorData
  /// The credential that it names; nil where its relying party knows none of that id, and did not name any.
  let credential: KnownCredential?
  private let assertion: HostReport.Assertion

  init(_ assertion: HostReport.Assertion, _ task: Assignment.SignIn) throws(ResponseFault) {
    credential = task.credentials.first { $0.id == assertion.credentialID }
    guard credential != nil || !task.isListed else { throw ResponseFault("the credential was not asked for") }
    guard let data = try? AuthenticatorData.parse(assertion.authenticatorData) else {
      throw ResponseFault("the authenticator data cannot be read")
    }
    self.data = data
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
    guard assertion.userHandle != nil || task.isListed else { throw ResponseFault("it does not say whose it is") }
  }

  /// Whether the credential's key signed it, which a host cannot know: the relying party alone has the public key.
  func isSigned(by credential: KnownCredential) -> Bool {
    let signed = assertion.authenticatorData + Digest.sha256(assertion.clientDataJSON)
    return (try? credential.publicKey.verifies(assertion.signature, of: signed, algorithm: .es256)) == true
  }
}
