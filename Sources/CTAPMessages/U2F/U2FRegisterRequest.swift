/// The parameters of a U2F registration (FIDO U2F Raw Message Formats 1.2 §4.1).
public struct U2FRegisterRequest: Hashable, Sendable {
  /// The SHA-256 hash of the client data, 32 bytes.
  public var challengeParameter: [UInt8]
  /// The SHA-256 hash of the application identity or RP ID, 32 bytes.
  public var applicationParameter: [UInt8]

  /// Creates a request.
  public init(challengeParameter: [UInt8], applicationParameter: [UInt8]) {
    self.challengeParameter = challengeParameter
    self.applicationParameter = applicationParameter
  }

  /// The frame of the request.
  public func frame() -> U2FCommandFrame {
    U2FCommandFrame(ins: U2FInstruction.register, data: challengeParameter + applicationParameter)
  }

  /// Reads the request in a frame; throws a `MessageError` where it has not exactly 64 bytes.
  public init(_ frame: U2FCommandFrame) throws(MessageError) {
    var reader = U2FReader(frame.data, "U2F register request")
    challengeParameter = try reader.bytes(32, "challengeParameter")
    applicationParameter = try reader.bytes(32, "applicationParameter")
    try reader.end()
  }
}
