/// What a HID report descriptor says of its top-level collections and their reports.
///
/// The reader follows HID 1.11 §6.2.2: short and long items, global items with push and pop, local items that last
/// until the next main item. A usage takes the page in force at the main item, as the Linux kernel does it. Not
/// enforced: logical ranges, units, and usages of the fields inside a collection.
struct ReportDescriptor: Hashable, Sendable {
  /// The top-level collections, in the order of the descriptor.
  private(set) var collections: [TopLevelCollection] = []

  /// The longest descriptor that is read, in bytes: what the Linux kernel accepts (`HID_MAX_DESCRIPTOR_SIZE`).
  static let maximumLength = 4096

  /// Whether any report of a kind carries a report ID; then every report of that kind begins with one.
  func isNumbered(_ kind: ReportKind) -> Bool {
    collections.contains { $0.reports.contains { $0.kind == kind && $0.id != 0 } }
  }

  /// Reads a descriptor.
  init(parsing bytes: [UInt8]) throws(ReportDescriptorError) {
    guard bytes.count <= Self.maximumLength else { throw .tooLong(bytes.count) }
    var items = ItemReader(bytes)
    var state = ParserState()
    while let item = try items.next() {
      switch item.kind {
      case .main: try read(main: item, &state)
      case .global: try state.read(global: item)
      case .local: state.read(local: item)
      case .reserved: break
      }
    }
    guard state.depth == 0 else { throw .unclosedCollection(depth: state.depth) }
  }

  private mutating func read(main item: Item, _ state: inout ParserState) throws(ReportDescriptorError) {
    defer { state.endLocals() }
    switch item.tag {
    case 0x8: try addField(.input, item, state)
    case 0x9: try addField(.output, item, state)
    case 0xA:
      if state.depth == 0 { collections.append(TopLevelCollection(usage: state.usageOfMainItem)) }
      state.depth += 1
    case 0xC:
      guard state.depth > 0 else { throw .strayEndOfCollection(offset: item.offset) }
      state.depth -= 1
    default: break  // Features travel on the control pipe and CTAPHID has none; other tags are reserved.
    }
  }

  private mutating func addField(
    _ kind: ReportKind, _ item: Item, _ state: ParserState
  ) throws(ReportDescriptorError) {
    // A field outside every collection belongs to nobody; the kernel drops it too.
    guard state.depth > 0, let last = collections.indices.last else { return }
    let (bits, overflow) = state.global.reportSize.multipliedReportingOverflow(by: state.global.reportCount)
    guard !overflow, bits <= Report.maximumBits else { throw .reportTooLarge(offset: item.offset) }
    let id = state.global.reportID
    let reports = collections[last].reports
    if let index = reports.firstIndex(where: { $0.kind == kind && $0.id == id }) {
      let total = reports[index].bits + bits
      guard total <= Report.maximumBits else { throw .reportTooLarge(offset: item.offset) }
      collections[last].reports[index].bits = total
    } else {
      collections[last].reports.append(Report(kind: kind, id: id, bits: bits))
    }
  }
}

/// A top-level collection: what a function of the device is for, and its reports.
struct TopLevelCollection: Hashable, Sendable {
  /// The usage: page in the upper, number in the lower 16 bits; nil where the descriptor names none.
  let usage: UInt32?
  /// The input and output reports, in the order of their first field.
  fileprivate(set) var reports: [Report] = []

  fileprivate init(usage: UInt32?) { self.usage = usage }
}

/// One report of a collection.
struct Report: Hashable, Sendable {
  /// Input or output.
  let kind: ReportKind
  /// The report ID; 0 where reports are not numbered.
  let id: UInt8
  /// The sum of the report's fields in bits, without the report ID.
  fileprivate(set) var bits: Int

  /// The bytes that the fields fill.
  var byteCount: Int { (bits + 7) / 8 }

  /// The largest report that is believed: the Linux kernel's `HID_MAX_BUFFER_SIZE` of 16,384 bytes.
  static let maximumBits = 16_384 * 8
}

/// The direction of a report.
enum ReportKind: Hashable, Sendable {
  /// From the device to the host.
  case input
  /// From the host to the device.
  case output
}

/// The rule of the HID specification that a descriptor breaks.
enum ReportDescriptorError: Error, Hashable, Sendable {
  /// The descriptor has more bytes than any kernel accepts.
  case tooLong(Int)
  /// The item at `offset` says that it has `needed` bytes of data, and only `left` follow.
  case truncated(offset: Int, needed: Int, left: Int)
  /// A collection ends that never began.
  case strayEndOfCollection(offset: Int)
  /// The descriptor ends inside a collection.
  case unclosedCollection(depth: Int)
  /// A report's fields add up to more than any kernel accepts.
  case reportTooLarge(offset: Int)
  /// A report ID that is 0 or does not fit a byte.
  case badReportID(UInt32, offset: Int)
  /// A pop of global items that were not pushed, or too many pushes.
  case badStack(offset: Int)
}
