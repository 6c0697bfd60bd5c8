/// A cursor over bytes that never reads past the end and never traps.
public struct ByteReader: Sendable {
  private let storage: [UInt8]
  private let end: Int

  /// The number of bytes read so far.
  public private(set) var offset: Int

  /// Creates a reader over all of `bytes`.
  public init(_ bytes: [UInt8]) {
    storage = bytes
    offset = 0
    end = bytes.count
  }

  /// The number of bytes that have not been read.
  public var remaining: Int { end - offset }

  /// Reads one byte.
  public mutating func byte() throws(ByteReaderError) -> UInt8 {
    try require(1)
    defer { offset += 1 }
    return storage[offset]
  }

  /// Reads a big-endian 16-bit integer.
  public mutating func uint16() throws(ByteReaderError) -> UInt16 {
    UInt16(truncatingIfNeeded: try bigEndian(2))
  }

  /// Reads a big-endian 32-bit integer.
  public mutating func uint32() throws(ByteReaderError) -> UInt32 {
    UInt32(truncatingIfNeeded: try bigEndian(4))
  }

  /// Reads a big-endian 64-bit integer.
  public mutating func uint64() throws(ByteReaderError) -> UInt64 {
    try bigEndian(8)
  }

  /// Reads exactly `count` bytes; a negative count is refused like one that is too large.
  public mutating func bytes(_ count: Int) throws(ByteReaderError) -> [UInt8] {
    try require(count)
    defer { offset += count }
    return Array(storage[offset..<offset + count])
  }

  /// Reads everything that is left.
  public mutating func rest() -> [UInt8] {
    defer { offset = end }
    return Array(storage[offset..<end])
  }

  private mutating func bigEndian(_ count: Int) throws(ByteReaderError) -> UInt64 {
    try require(count)
    var value: UInt64 = 0
    for byte in storage[offset..<offset + count] { value = value << 8 | UInt64(byte) }
    offset += count
    return value
  }

  private func require(_ count: Int) throws(ByteReaderError) {
    guard count >= 0, count <= remaining else {
      throw ByteReaderError(needed: count, remaining: remaining, offset: offset)
    }
  }
}

/// A read past the end of the input.
public struct ByteReaderError: Error, Hashable, Sendable {
  /// The number of bytes that were asked for.
  public let needed: Int
  /// The number of bytes that were left.
  public let remaining: Int
  /// Where the read began, in bytes from the start.
  public let offset: Int
}
