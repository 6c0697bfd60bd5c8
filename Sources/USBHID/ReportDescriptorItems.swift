/// One item of a HID report descriptor (HID 1.11 §6.2.2.2).
struct Item: Hashable, Sendable {
  /// The item's type, from bits 2 and 3 of its first byte.
  enum Kind: Hashable, Sendable { case main, global, local, reserved }

  let kind: Kind
  /// What the item is among those of its type: bits 4 to 7 of its first byte.
  let tag: UInt8
  /// The item's data, little-endian, taken as unsigned.
  let value: UInt32
  /// The number of data bytes: 0, 1, 2 or 4.
  let size: Int
  /// Where the item begins, in bytes from the start of the descriptor.
  let offset: Int
}

/// Cuts a report descriptor into items; long items are stepped over.
struct ItemReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next short item, or nil at the end.
  mutating func next() throws(ReportDescriptorError) -> Item? {
    while offset < bytes.count {
      let start = offset
      let prefix = bytes[start]
      guard prefix != 0xFE else {
        try skipLongItem(at: start)
        continue
      }
      let size = [0, 1, 2, 4][Int(prefix & 3)]
      let data = try take(size, after: start + 1, itemAt: start)
      let value = data.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let kind: Item.Kind =
        switch prefix >> 2 & 3 {
        case 0: .main
        case 1: .global
        case 2: .local
        default: .reserved
        }
      return Item(kind: kind, tag: prefix >> 4, value: value, size: size, offset: start)
    }
    return nil
  }

  /// A long item is 0xFE, the number of data bytes, a tag, the data (HID 1.11 §6.2.2.3); none is defined.
  private mutating func skipLongItem(at start: Int) throws(ReportDescriptorError) {
    let header = try take(2, after: start + 1, itemAt: start)
    _ = try take(Int(header.first ?? 0), after: start + 3, itemAt: start)
  }

  private mutating func take(
    _ count: Int, after begin: Int, itemAt start: Int
  ) throws(ReportDescriptorError) -> ArraySlice<UInt8> {
    let left = bytes.count - begin
    guard count <= left else { throw .truncated(offset: start, needed: count, left: left) }
    offset = begin + count
    return bytes[begin..<offset]
  }
}

/// What the items read so far have set.
struct ParserState {
  /// The global items that a field needs; they stay in force until changed (HID 1.11 §6.2.2.7).
  struct Global {
    var usagePage: UInt16 = 0
    var reportSize = 0
    var reportCount = 0
    var reportID: UInt8 = 0
  }

  var global = Global()
  /// The number of collections that are open.
  var depth = 0
  private var stack: [Global] = []
  private var usage: (value: UInt32, hasPage: Bool)?

  /// More pushes than any descriptor needs; the Linux kernel allows 4.
  private static let stackLimit = 16

  /// The first usage since the last main item, with its page; nil where there was none.
  var usageOfMainItem: UInt32? {
    guard let usage else { return nil }
    return usage.hasPage ? usage.value : UInt32(global.usagePage) << 16 | usage.value
  }

  mutating func read(global item: Item) throws(ReportDescriptorError) {
    switch item.tag {
    case 0x0: global.usagePage = UInt16(truncatingIfNeeded: item.value)
    case 0x7: global.reportSize = Int(item.value)
    case 0x8:
      guard let id = UInt8(exactly: item.value), id != 0 else { throw .badReportID(item.value, offset: item.offset) }
      global.reportID = id
    case 0x9: global.reportCount = Int(item.value)
    case 0xA:
      guard stack.count < Self.stackLimit else { throw .badStack(offset: item.offset) }
      stack.append(global)
    case 0xB:
      guard let saved = stack.popLast() else { throw .badStack(offset: item.offset) }
      global = saved
    default: break  // Logical and physical ranges and units do not move bytes.
    }
  }

  mutating func read(local item: Item) {
    // Usage, or Usage Minimum: the first one names a collection.
    guard item.tag == 0x0 || item.tag == 0x1, usage == nil else { return }
    usage = (item.value, item.size == 4)
  }

  mutating func endLocals() { usage = nil }
}
