public import CBOR

/// A message of CTAP, or a part of one, that is read from CBOR and written to it.
///
/// Reading tolerates what is harmless: members that are not known are kept, in `additional` where a message has
/// it, and come back when it is written. A missing required member and a known one of the wrong type are errors.
public protocol CTAPMessage: Hashable, Sendable {
  /// What errors call this message.
  static var messageName: String { get }

  /// Reads the message; the error names the member, what was expected and what was found.
  init(cbor: CBORValue) throws(MessageError)

  /// The message as CBOR; members that are nil are left out.
  func cbor() -> CBORValue
}

extension CTAPMessage {
  /// Reads the message from what a frame holds, where nothing at all means an empty map.
  ///
  /// Keys that return no member send a lone status byte or an empty map, and both are read alike.
  public init(cborOrEmpty value: CBORValue?) throws(MessageError) {
    try self.init(cbor: value ?? .map(CBORMap()))
  }

  /// The message in canonical CBOR.
  public func encoded() -> [UInt8] { cbor().encoded() }
}
