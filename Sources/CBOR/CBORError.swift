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

extension CBORError: CustomStringConvertible {
  /// One line for people: where, and which rule is broken.
  public var description: String {
    switch self {
    case .truncated(let offset): "byte \(offset): the item goes on after the end of the input"
    case .countExceedsInput(let count, let offset): "byte \(offset): \(count) entries do not fit into the input"
    case .reservedInitialByte(let byte, let offset): "byte \(offset): 0x\(String(byte, radix: 16)) starts no item"
    case .invalidSimpleValue(let number, let offset):
      "byte \(offset): the simple value \(number) is written in two bytes"
    case .unexpectedBreak(let offset): "byte \(offset): a break ends nothing"
    case .indefiniteLength(let offset): "byte \(offset): the item has no definite length"
    case .nonMinimal(let offset): "byte \(offset): the number is not in its shortest form"
    case .unsortedKeys(let offset): "byte \(offset): the map's keys are not sorted"
    case .duplicateKey(let key, let offset): "byte \(offset): the map has the key \(key.description.prefix(64)) twice"
    case .tag(let number, let offset): "byte \(offset): there is a tag (\(number))"
    case .invalidUTF8(let offset): "byte \(offset): the text is not valid UTF-8"
    case .tooDeep(let limit, let offset): "byte \(offset): items are nested in more than \(limit) levels"
    case .tooManyItems(let limit, let offset): "byte \(offset): there are more than \(limit) items"
    case .trailingBytes(let count, let offset): "byte \(offset): \(count) bytes follow the item"
    case .inputTooLarge(let count, let limit): "the input has \(count) bytes, and at most \(limit) are accepted"
    case .startOutOfRange(let start, let count): "byte \(start): the input has only \(count) bytes"
    }
  }
}
