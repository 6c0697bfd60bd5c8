public import CBOR

/// The frame of a request: one command byte and, where the command has parameters, one CBOR map (CTAP 2.3 §8).
public enum CTAPRequest {
  /// Encodes a command and its parameters in canonical CBOR.
  public static func encode(_ command: CTAPCommand, _ parameters: CBORValue? = nil) -> [UInt8] {
    [command.rawValue] + (parameters?.encoded() ?? [])
  }

  /// Encodes a command and its message.
  public static func encode(_ command: CTAPCommand, _ message: some CTAPMessage) -> [UInt8] {
    encode(command, message.cbor())
  }

  /// Splits a request into its command byte, known or not, and its parameters.
  ///
  /// Throws a `MessageError` where there is no command byte, or where what follows is not one CBOR item.
  public static func decode(
    _ bytes: [UInt8], mode: CBORDecoder.Mode = .strict
  ) throws(MessageError) -> (command: UInt8, parameters: CBORValue?) {
    let (command, parameters) = try Frame.split(bytes, name: "request")
    return (command, try Frame.item(parameters, mode: mode, name: "request"))
  }
}

/// What requests and responses have in common: one byte, then nothing or one CBOR item.
enum Frame {
  static func split(_ bytes: [UInt8], name: String) throws(MessageError) -> (UInt8, [UInt8]) {
    guard let first = bytes.first else { throw MessageError(message: name, problem: .empty) }
    return (first, Array(bytes.dropFirst()))
  }

  static func item(_ bytes: [UInt8], mode: CBORDecoder.Mode, name: String) throws(MessageError) -> CBORValue? {
    if bytes.isEmpty { return nil }
    do throws(CBORError) {
      return try CBORDecoder.decode(bytes, mode: mode)
    } catch {
      throw MessageError(message: name, problem: .notCBOR(error))
    }
  }
}
