import Octets

/// What a U2F sign-in returns (FIDO U2F Raw Message Formats 1.2 §5.4).
public struct U2FAuthenticateResponse: Hashable, Sendable {
  /// The byte whose lowest bit says that a person was present; all of it is signed.
  public var userPresence: UInt8
  /// The signature counter.
  public var counter: UInt32
  /// The signature, DER.
  public var signature: [UInt8]

  /// Creates a response.
  public init(userPresence: UInt8, counter: UInt32, signature: [UInt8]) {
    self.userPresence = userPresence
    self.counter = counter
    self.signature = signature
  }

  /// The data of the response: presence(1) | counter(4, big-endian) | signature.
  public func encoded() -> [UInt8] {
    var bytes = [userPresence]
    bytes.append(bigEndian: counter)
    return bytes + signature
  }

  /// Reads the data of a response; bytes behind the signature, which some keys send, are dropped.
  public init(_ data: [UInt8]) throws(MessageError) {
    var reader = U2FReader(data, "U2F authenticate response")
    userPresence = try reader.byte("user presence")
    counter = try reader.bytes(4, "counter").reduce(0) { $0 << 8 | UInt32($1) }
    signature = try reader.sequence("signature")
  }

  /// The same sign-in as getAssertion would return it (CTAP 2.3 §10).
  ///
  /// Bits 0 and 1 of the presence byte become the flags. Throws a `MessageError` where the application parameter has
  /// not 32 bytes.
  public func getAssertionResponse(
    keyHandle: [UInt8], applicationParameter: [UInt8]
  ) throws(MessageError) -> GetAssertionResponse {
    GetAssertionResponse(
      credential: CredentialDescriptor(id: keyHandle),
      authData: try AuthenticatorData(
        rpIDHash: applicationParameter, flags: AuthenticatorData.Flags(rawValue: userPresence & 0x03),
        signCount: counter), signature: signature)
  }
}
