public import CBOR

/// The frame of a response: one status byte and, where the command returns something, one CBOR map (CTAP 2.3 §8).
public enum CTAPResponse {
  /// Encodes a status and what is returned, in canonical CBOR.
  public static func encode(_ status: CTAPStatus, _ value: CBORValue? = nil) -> [UInt8] {
    [status.rawValue] + (value?.encoded() ?? [])
  }

  /// Encodes success and a message.
  public static func encode(_ message: some CTAPMessage) -> [UInt8] {
    encode(.ok, message.cbor())
  }

  /// Splits a response into its status and what was returned; a lone status byte returned nothing.
  ///
  /// Bytes after a status that is not success mean nothing and are not looked at. Throws a `MessageError` where
  /// there is no status byte, or where what follows success is not one CBOR item.
  public static func decode(
    _ bytes: [UInt8], mode: CBORDecoder.Mode = .tolerant
  ) throws(MessageError) -> (status: CTAPStatus, value: CBORValue?) {
    let (status, rest) = try Frame.split(bytes, name: "response")
    guard status == CTAPStatus.ok.rawValue else { return (CTAPStatus(rawValue: status), nil) }
    return (.ok, try Frame.item(rest, mode: mode, name: "response"))
  }
}
