/// The rule that an input breaks, and where: offsets count bytes from the start of the input.
public enum CBORError: Error, Hashable, Sendable {
  /// The input ends inside an item, or a string claims more bytes than are left.
  case truncated(offset: Int)
  /// An array or map claims more entries than the bytes left could hold.
  case countExceedsInput(UInt64, offset: Int)
  /// An initial byte that RFC 8949 reserves (additional information 28 to 30, or 31 where it means nothing).
  case reservedInitialByte(UInt8, offset: Int)
  /// A simple value below 32 written in two bytes, which is not well-formed (RFC 8949 §3.3).
  case invalidSimpleValue(UInt8, offset: Int)
  /// A break outside an item of indefinite length.
  case unexpectedBreak(offset: Int)
  /// An item of indefinite length, which no CTAP2 message may have.
  case indefiniteLength(offset: Int)
  /// An integer, length, count or tag number not in its shortest form (strict mode).
  case nonMinimal(offset: Int)
  /// A map key that sorts before the one in front of it (strict mode).
  case unsortedKeys(offset: Int)
  /// A map key that the map has already.
  case duplicateKey(CBORValue, offset: Int)
  /// A tag (strict mode).
  case tag(UInt64, offset: Int)
  /// A text string that is not UTF-8 (strict mode).
  case invalidUTF8(offset: Int)
  /// More levels of arrays, maps and tags than the limit.
  case tooDeep(limit: Int, offset: Int)
  /// More items than the limit, counting keys, values and containers.
  case tooManyItems(limit: Int, offset: Int)
  /// Bytes after the item.
  case trailingBytes(count: Int, offset: Int)
  /// More bytes than the limit.
  case inputTooLarge(count: Int, limit: Int)
  /// A start position outside the input.
  case startOutOfRange(Int, count: Int)
}
