/// The kernel's messages about a user-space HID device, as far as they concern a key (linux/uhid.h).
///
/// The structures are packed; integers are in the machine's byte order, which is little-endian wherever Swift runs.
enum UHIDEvent: Hashable {
  /// Output for the device (`UHID_OUTPUT`), with the report number that the host wrote in front.
  case output([UInt8])
  /// The host asks for a report over the control pipe (`UHID_GET_REPORT`).
  case getReport(id: UInt32)
  /// The host sets a report over the control pipe (`UHID_SET_REPORT`).
  case setReport(id: UInt32)
  /// The device was started, stopped, opened or closed, or something newer.
  case other(UInt32)

  /// The most bytes that one event has.
  static let maximumSize = 4 + 4372
  /// The most bytes that a report has (`UHID_DATA_MAX`).
  private static let dataSize = 4096

  /// Reads an event, or nil where it is cut short.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 4 else { return nil }
    let type = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    switch type {
    case 6:
      // data[4096], size: u16, rtype: u8
      let end = 4 + Self.dataSize
      guard bytes.count >= end + 2 else { return nil }
      let size = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt16.self)))
      self = .output(Array(bytes[4..<4 + min(size, Self.dataSize)]))
    case 9, 13:
      guard bytes.count >= 8 else { return nil }
      let id = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      self = type == 9 ? .getReport(id: id) : .setReport(id: id)
    default: self = .other(type)
    }
  }

  /// The event that makes the device (`UHID_CREATE2`).
  static func create(
    name: String, physical: String, unique: String, vendorID: UInt16, productID: UInt16, version: UInt16,
    descriptor: [UInt8]
  ) -> [UInt8] {
    event(11) + text(name, 128) + text(physical, 64) + text(unique, 64)
      + little(UInt16(clamping: descriptor.count)) + little(UInt16(3))  // BUS_USB
      + little(UInt32(vendorID)) + little(UInt32(productID)) + little(UInt32(version)) + little(UInt32(0))
      + descriptor
  }

  /// The event that hands the host a report (`UHID_INPUT2`).
  static func input(_ report: [UInt8]) -> [UInt8] {
    event(12) + little(UInt16(clamping: report.count)) + report
  }

  /// The event that refuses a report over the control pipe, which CTAPHID does not use (EIO).
  static func refusal(of request: UHIDEvent) -> [UInt8]? {
    switch request {
    case .getReport(let id): event(10) + little(id) + little(UInt16(5)) + little(UInt16(0))
    case .setReport(let id): event(14) + little(id) + little(UInt16(5))
    case .output, .other: nil
    }
  }

  /// The event that takes the device away (`UHID_DESTROY`).
  static let destroy = event(1)

  private static func event(_ type: UInt32) -> [UInt8] { little(type) }

  private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// A NUL-terminated text in `size` bytes, cut at a whole character.
  private static func text(_ text: String, _ size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for character in text where !character.utf8.contains(0) {
      guard bytes.count + character.utf8.count < size else { break }
      bytes += character.utf8
    }
    return bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }
}
