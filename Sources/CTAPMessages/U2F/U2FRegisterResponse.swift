import CBOR

/// What a U2F registration returns (FIDO U2F Raw Message Formats 1.2 §4.3).
public struct U2FRegisterResponse: Hashable, Sendable {
  /// The public key, an uncompressed point on P-256: 04, x and y, 65 bytes.
  public var userPublicKey: [UInt8]
  /// The key handle, which becomes the credential identifier; at most 255 bytes.
  public var keyHandle: [UInt8]
  /// The attestation certificate, one DER item.
  public var attestationCertificate: [UInt8]
  /// The signature, DER.
  public var signature: [UInt8]

  /// Creates a response.
  public init(
    userPublicKey: [UInt8], keyHandle: [UInt8], attestationCertificate: [UInt8], signature: [UInt8]
  ) {
    self.userPublicKey = userPublicKey
    self.keyHandle = keyHandle
    self.attestationCertificate = attestationCertificate
    self.signature = signature
  }

  private static let reserved: UInt8 = 0x05
  private static let name = "U2F register response"

  /// The data of the response: 05 | key(65) | L(1) | handle(L) | certificate | signature.
  public func encoded() -> [UInt8] {
    [Self.reserved] + userPublicKey + [UInt8(truncatingIfNeeded: keyHandle.count)] + keyHandle
      + attestationCertificate + signature
  }

  /// Reads the data of a response; bytes behind the signature, which some keys send, are dropped.
  public init(_ data: [UInt8]) throws(MessageError) {
    var reader = U2FReader(data, Self.name)
    let first = try reader.byte("reserved byte")
    guard first == Self.reserved else { throw reader.error("reserved byte", expected: "0x05", found: "\(first)") }
    userPublicKey = try reader.bytes(65, "user public key")
    guard userPublicKey.first == 0x04 else {
      throw reader.error("user public key", expected: "an uncompressed point", found: "another form")
    }
    keyHandle = try reader.bytes(Int(try reader.byte("key handle length")), "key handle")
    attestationCertificate = try reader.sequence("attestation certificate")
    signature = try reader.sequence("signature")
  }

  /// The public key in COSE form, for ES256.
  public var publicKey: COSEKey {
    COSEKey(
      .ec2(
        curve: COSEKey.Curve.p256, x: Array(userPublicKey.dropFirst().prefix(32)),
        y: Array(userPublicKey.dropFirst(33))), alg: -7)
  }

  /// The same registration as makeCredential would return it, with attestation format `fido-u2f` (CTAP 2.3 §10).
  ///
  /// Throws a `MessageError` where the application parameter has not 32 bytes.
  public func makeCredentialResponse(applicationParameter: [UInt8]) throws(MessageError) -> MakeCredentialResponse {
    let credential = try AttestedCredential(aaguid: .zero, credentialID: keyHandle, publicKey: publicKey)
    return MakeCredentialResponse(
      fmt: "fido-u2f",
      authData: try AuthenticatorData(
        rpIDHash: applicationParameter, flags: .userPresent, signCount: 0, attestedCredential: credential),
      attStmt: ["sig": .bytes(signature), "x5c": [.bytes(attestationCertificate)]])
  }
}
