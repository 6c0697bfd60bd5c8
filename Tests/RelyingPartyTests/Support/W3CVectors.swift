import BridgeTestSupport
import FIDOCrypto
import Foundation
import JSONText
import Octets
import RelyingParty
import Testing

/// A vector of WebAuthn L3: a registration and a sign-in with what was made there.
struct W3CVector: Sendable, CustomTestStringConvertible {
  let id: String
  let registrationRequest: RegistrationRequest
  var registration: ReceivedRegistration
  let authenticationRequest: AuthenticationRequest
  var authentication: ReceivedAuthentication
  let policy: RelyingPartyPolicy

  var testDescription: String { id }

  /// Whether a certificate vouches for the credential.
  var isCertified: Bool { !id.hasPrefix("none") && !id.contains("self") }

  /// 2026-01-01, inside the certificates' validity.
  static let time: Int64 = 1_767_225_600

  func verifyRegistration(_ policy: RelyingPartyPolicy? = nil) -> Verification {
    registration.verify(registrationRequest, policy ?? self.policy)
  }

  func record() throws -> CredentialRecord { try #require(verifyRegistration().credential) }

  static func named(_ id: String) throws -> W3CVector { try #require(all.first { $0.id == id }) }

  static let all: [W3CVector] = {
    guard let vectors = try? load() else { fatalError("the vectors cannot be read") }
    return vectors
  }()

  private static func load() throws -> [W3CVector] {
    let url = try #require(
      Bundle.module.url(forResource: "webauthn-l3", withExtension: "json", subdirectory: "Vectors"))
    let file = try VectorFile.json(at: url.path)
    let anchor = try Certificate(der: file.hex("attestation_ca_cert"))
    return try (file["vectors"]?.elements ?? []).map { try W3CVector($0, anchor) }
  }

  private init(_ json: JSONValue, _ anchor: Certificate) throws {
    let made = try #require(json["registration"])
    let used = try #require(json["authentication"])
    id = try #require(json["id"]?.stringValue)
    registrationRequest = RegistrationRequest(
      challenge: try made.hex("challenge"), relyingPartyID: "example.org", userID: [1],
      algorithms: [-7, -8, -35, -36, -257, -53], requiresUserVerification: false)
    let identifier = try made.hex("credential_id")
    registration = ReceivedRegistration(
      credentialID: identifier, clientDataJSON: try made.hex("clientDataJSON"),
      attestationObject: try made.hex("attestationObject"))
    authenticationRequest = AuthenticationRequest(
      challenge: try used.hex("challenge"), relyingPartyID: "example.org", allowedCredentials: [identifier],
      requiresUserVerification: false)
    authentication = ReceivedAuthentication(
      credentialID: identifier, clientDataJSON: try used.hex("clientDataJSON"),
      authenticatorData: try used.hex("authenticatorData"), signature: try used.hex("signature"))
    let isCertified = !id.hasPrefix("none") && !id.contains("self")
    policy = RelyingPartyPolicy(
      origins: ["https://example.org"], topOrigins: ["https://example.com"], trustAnchors: isCertified ? [anchor] : nil,
      time: Self.time)
  }
}

extension JSONValue {
  /// The bytes that a member has in hexadecimal.
  func hex(_ name: String) throws -> [UInt8] {
    let text = try #require(self[name]?.stringValue)
    return try #require(Hex.decode(text))
  }
}

extension [UInt8] {
  func flipping(_ bit: Int) -> [UInt8] {
    var flipped = self
    flipped[bit / 8] ^= 1 << UInt8(bit % 8)
    return flipped
  }
}

extension Verification {
  func outcome(_ subject: Check.Subject) -> Check.Outcome? { checks.last { $0.subject == subject }?.outcome }

  var failures: [Check.Subject] { checks.filter(\.isFailure).map(\.subject) }
}
