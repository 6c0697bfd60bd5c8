/// The parameters of a U2F sign-in (FIDO U2F Raw Message Formats 1.2 §5.1).
public struct U2FAuthenticateRequest: Hashable, Sendable {
  /// What the key is to do, by the first parameter of the APDU; other numbers are kept.
  public struct Control: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt8

    /// Creates a control from a number, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 03: sign after a touch.
    public static let enforceUserPresenceAndSign = Control(rawValue: 0x03)
    /// 07: say whether the credential is known, and never sign.
    public static let checkOnly = Control(rawValue: 0x07)
    /// 08: sign without a touch.
    public static let dontEnforceUserPresenceAndSign = Control(rawValue: 0x08)
  }

  /// What the key is to do.
  public var control: Control
  /// The SHA-256 hash of the client data, 32 bytes.
  public var challengeParameter: [UInt8]
  /// The SHA-256 hash of the application identity or RP ID, 32 bytes.
  public var applicationParameter: [UInt8]
  /// The key handle; at most 255 bytes.
  public var keyHandle: [UInt8]

  /// Creates a request; nil where the key handle is longer than 255 bytes, so that no U2F key can know it.
  public init?(
    _ control: Control, challengeParameter: [UInt8], applicationParameter: [UInt8], keyHandle: [UInt8]
  ) {
    guard keyHandle.count <= UInt8.max else { return nil }
    self.control = control
    self.challengeParameter = challengeParameter
    self.applicationParameter = applicationParameter
    self.keyHandle = keyHandle
  }

  /// The frame of the request.
  public func frame() -> U2FCommandFrame {
    U2FCommandFrame(
      ins: U2FInstruction.authenticate, p1: control.rawValue,
      data: challengeParameter + applicationParameter + [UInt8(truncatingIfNeeded: keyHandle.count)] + keyHandle)
  }

  /// Reads the request in a frame; throws a `MessageError` where its lengths are wrong.
  public init(_ frame: U2FCommandFrame) throws(MessageError) {
    var reader = U2FReader(frame.data, "U2F authenticate request")
    control = Control(rawValue: frame.p1)
    challengeParameter = try reader.bytes(32, "challengeParameter")
    applicationParameter = try reader.bytes(32, "applicationParameter")
    keyHandle = try reader.bytes(Int(try reader.byte("key handle length")), "key handle")
    try reader.end()
  }
}
