import CBOR
import CTAPMessages
import FIDOCrypto

/// What a key would make for requests, with real signatures.
enum Credentials {
  static let rpID = "example.org"
  static let hash = Digest.sha256(Array("client data".utf8))
  static let id = [UInt8](repeating: 0xc1, count: 32)

  static func request(
    exclude: [[UInt8]] = [], options: RequestOptions = RequestOptions(), algorithms: [Int] = [-7]
  ) -> MakeCredentialRequest {
    MakeCredentialRequest(
      clientDataHash: hash, rp: RelyingPartyEntity(id: rpID, name: "Example"),
      user: UserEntity(id: [1, 2, 3], name: "alice", displayName: "Alice"),
      pubKeyCredParams: algorithms.map { CredentialParameters(algorithm: $0) },
      excludeList: exclude.map { CredentialDescriptor(id: $0, transports: ["usb"]) }, options: options)
  }

  /// Ids of `size` bytes, each another.
  static func ids(_ count: Int, size: Int = 32) -> [[UInt8]] {
    (0..<count).map { number in [UInt8(number / 256), UInt8(number % 256)] + [UInt8](repeating: 7, count: size - 2) }
  }

  /// An answer to `request` with self attestation.
  static func answer(
    to request: MakeCredentialRequest, rpID: String = Credentials.rpID, hash: [UInt8]? = nil, id: [UInt8] = id
  ) throws -> MakeCredentialResponse {
    let key = try SigningKey.generate(.es256)
    guard case .elliptic(_, let x, let y) = try key.publicKey() else { throw CryptoError.unsupported("another key") }
    let credential = try AttestedCredential(
      aaguid: .zero, credentialID: id, publicKey: COSEKey(.ec2(curve: 1, x: x, y: y), alg: -7))
    let data = try AuthenticatorData(
      rpIDHash: Digest.sha256(Array(rpID.utf8)), flags: .userPresent, signCount: 1, attestedCredential: credential)
    let signature = try key.sign(data.encoded() + (hash ?? request.clientDataHash))
    return MakeCredentialResponse(
      fmt: "packed", authData: data, attStmt: ["alg": -7, "sig": .bytes(signature)])
  }

  /// An answer to a getAssertion, whose signature nobody checks.
  static func assertion(id: [UInt8]?, rpID: String = Credentials.rpID) throws -> GetAssertionResponse {
    GetAssertionResponse(
      credential: id.map { CredentialDescriptor(id: $0) },
      authData: try AuthenticatorData(rpIDHash: Digest.sha256(Array(rpID.utf8)), flags: [], signCount: 2),
      signature: [0x30])
  }
}
