import CBOR
import CTAPMessages
import FIDOCrypto
import Testing

@testable import VirtualKey

let testHash = Digest.sha256(Array("client data".utf8))

extension MakeCredentialRequest {
  /// A request for an ES256 credential at example.org.
  static func sample(
    rpID: String = "example.org", user: [UInt8] = [1], algorithms: [Int] = [-7], rk: Bool? = nil
  ) -> MakeCredentialRequest {
    MakeCredentialRequest(
      clientDataHash: testHash, rp: RelyingPartyEntity(id: rpID, name: "Example"),
      user: UserEntity(id: user, name: "user\(user[0])", displayName: "User \(user[0])"),
      pubKeyCredParams: algorithms.map { CredentialParameters(algorithm: $0) }, options: RequestOptions(rk: rk))
  }
}

extension GetAssertionRequest {
  /// A request for an assertion at example.org, from any resident credential or from those listed.
  static func sample(rpID: String = "example.org", allow: [[UInt8]] = []) -> GetAssertionRequest {
    GetAssertionRequest(
      rpID: rpID, clientDataHash: testHash, allowList: allow.map { CredentialDescriptor(id: $0) })
  }
}

extension MakeCredentialResponse {
  var id: [UInt8] { authData.attestedCredential?.credentialID ?? [] }
  var coseKey: COSEKey? { authData.attestedCredential?.publicKey }
}

extension GetAssertionResponse {
  /// Whether the signature is of the credential's key over what was sent.
  func verifies(with credential: MakeCredentialResponse) throws -> Bool {
    guard let key = credential.coseKey, let algorithm = key.alg.flatMap(SignatureAlgorithm.init(rawValue:)) else {
      return false
    }
    return try key.cryptoKey().verifies(
      signature, of: authData.encoded() + testHash, algorithm: algorithm)
  }
}

extension COSEKey {
  /// The key for verifying, read back from its CBOR.
  func cryptoKey() throws -> PublicKey {
    switch (kty, crv) {
    case (2, 1): .elliptic(.p256, x: x ?? [], y: y ?? [])
    case (2, 2): .elliptic(.p384, x: x ?? [], y: y ?? [])
    case (2, 3): .elliptic(.p521, x: x ?? [], y: y ?? [])
    case (1, 6): .ed25519(x ?? [])
    case (1, 7): .ed448(x ?? [])
    default: .rsa(modulus: n ?? [], exponent: e ?? [])
    }
  }
}

/// A request with one thing changed, and the status that it gets.
struct Spoiled<Request>: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let status: CTAPStatus
  let change: @Sendable (inout Request) -> Void

  init(_ name: String, _ status: CTAPStatus, _ change: @escaping @Sendable (inout Request) -> Void) {
    testDescription = name
    self.status = status
    self.change = change
  }
}
