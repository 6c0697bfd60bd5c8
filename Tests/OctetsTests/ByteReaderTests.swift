import Testing

@testable import Octets

@Suite("Reading and writing bytes")
struct ByteReaderTests {
  @Test("integers are read most significant byte first, and the offset moves on")
  func integers() throws {
    var reader = ByteReader([
      0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88,
    ])
    #expect(try reader.byte() == 0x01)
    #expect(try reader.uint16() == 0x0203)
    #expect(try reader.uint32() == 0x0405_0607)
    #expect(reader.offset == 7)
    #expect(reader.remaining == 8)
    #expect(try reader.uint64() == 0xffee_ddcc_bbaa_9988)
    #expect(reader.remaining == 0)
  }

  @Test("parts and the rest are read as they are")
  func parts() throws {
    var reader = ByteReader([1, 2, 3, 4, 5])
    #expect(try reader.bytes(2) == [1, 2])
    #expect(try reader.bytes(0) == [])
    #expect(reader.rest() == [3, 4, 5])
    #expect(reader.rest() == [])
    #expect(reader.offset == 5)
    #expect(try reader.bytes(0) == [])
  }

  @Test("a read past the end is refused and leaves the reader where it was")
  func pastTheEnd() throws {
    var reader = ByteReader([1, 2, 3])
    _ = try reader.byte()
    #expect(throws: ByteReaderError(needed: 4, remaining: 2, offset: 1)) { try reader.uint32() }
    #expect(throws: ByteReaderError(needed: 8, remaining: 2, offset: 1)) { try reader.uint64() }
    #expect(throws: ByteReaderError(needed: 3, remaining: 2, offset: 1)) { try reader.bytes(3) }
    #expect(reader.offset == 1)
    #expect(try reader.uint16() == 0x0203)
    #expect(throws: ByteReaderError(needed: 1, remaining: 0, offset: 3)) { try reader.byte() }
    #expect(throws: ByteReaderError(needed: 2, remaining: 0, offset: 3)) { try reader.uint16() }
  }

  @Test("an absurd count is refused, not computed with", arguments: [-1, .min, .max, .max - 1])
  func absurdCounts(_ count: Int) throws {
    var reader = ByteReader([1, 2, 3])
    _ = try reader.byte()
    #expect(throws: ByteReaderError(needed: count, remaining: 2, offset: 1)) {
      try reader.bytes(count)
    }
    #expect(reader.rest() == [2, 3])
  }

  @Test("an empty input has nothing to read")
  func empty() {
    var reader = ByteReader([])
    #expect(reader.remaining == 0)
    #expect(reader.rest() == [])
    #expect(throws: ByteReaderError(needed: 1, remaining: 0, offset: 0)) { try reader.byte() }
  }

  @Test("a copy of a reader moves on its own")
  func copies() throws {
    var reader = ByteReader([1, 2])
    var copy = reader
    #expect(try copy.byte() == 1)
    #expect(reader.offset == 0)
    #expect(reader.rest() == [1, 2])
  }

  private func written(_ value: some FixedWidthInteger) -> String {
    var bytes: [UInt8] = [0xee]
    bytes.append(bigEndian: value)
    return Hex.encode(bytes.dropFirst())
  }

  @Test("integers of every width are written most significant byte first")
  func writing() {
    #expect(written(UInt8(0xab)) == "ab")
    #expect(written(Int8(-2)) == "fe")
    #expect(written(Int8.min) == "80")
    #expect(written(UInt16(0x0102)) == "0102")
    #expect(written(Int16(-2)) == "fffe")
    #expect(written(UInt32(0x0102_0304)) == "01020304")
    #expect(written(UInt32.max) == "ffffffff")
    #expect(written(Int32.min) == "80000000")
    #expect(written(UInt64(0x0102_0304_0506_0708)) == "0102030405060708")
    #expect(written(UInt64.max) == "ffffffffffffffff")
    #expect(written(Int64(-257)) == "fffffffffffffeff")
    #expect(written(Int(1)) == "0000000000000001")
    #expect(written(UInt128(1) << 127 | 5) == "80000000000000000000000000000005")
  }

  @Test(
    "what is written is read back",
    arguments: [0, 1, 0x8000_0000_0000_0000, .max, 0x0123_4567_89ab_cdef] as [UInt64])
  func roundTrip(_ value: UInt64) throws {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: value)
    bytes.append(bigEndian: UInt32(truncatingIfNeeded: value))
    bytes.append(bigEndian: UInt16(truncatingIfNeeded: value))
    var reader = ByteReader(bytes)
    #expect(try reader.uint64() == value)
    #expect(try reader.uint32() == UInt32(truncatingIfNeeded: value))
    #expect(try reader.uint16() == UInt16(truncatingIfNeeded: value))
  }
}
