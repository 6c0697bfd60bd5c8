import Octets

/// The commands of U2F, by the instruction byte of their APDU (FIDO U2F Raw Message Formats 1.2 §3).
public enum U2FInstruction {
  /// Creates a credential.
  public static let register: UInt8 = 0x01
  /// Signs in, or asks whether a credential is known.
  public static let authenticate: UInt8 = 0x02
  /// Asks for the version, which is `U2F_V2` in ASCII.
  public static let version: UInt8 = 0x03
}

/// A U2F request: a command APDU (ISO 7816-4 §5.1), as CTAPHID_MSG carries it.
public struct U2FCommandFrame: Hashable, Sendable {
  /// The class, 0 for all commands of U2F.
  public var cla: UInt8
  /// The instruction.
  public var ins: UInt8
  /// The first parameter.
  public var p1: UInt8
  /// The second parameter.
  public var p2: UInt8
  /// The data, at most 65535 bytes.
  public var data: [UInt8]

  /// Creates a frame.
  public init(cla: UInt8 = 0, ins: UInt8, p1: UInt8 = 0, p2: UInt8 = 0, data: [UInt8] = []) {
    self.cla = cla
    self.ins = ins
    self.p1 = p1
    self.p2 = p2
    self.data = data
  }

  /// The request for the version.
  public static let version = U2FCommandFrame(ins: U2FInstruction.version)

  /// The frame with lengths of two bytes, which HID requires, asking for an answer of any length.
  ///
  /// The expected length is always there: without it some keys answer 6700, and others cut a registration.
  public func encoded() -> [UInt8] {
    var bytes = [cla, ins, p1, p2, 0]
    if !data.isEmpty {
      bytes.append(bigEndian: UInt16(truncatingIfNeeded: data.count))
      bytes += data
    }
    return bytes + [0, 0]
  }

  /// The frame with lengths of one byte, for keys that refuse the other form; nil with more than 255 bytes of data.
  ///
  /// The expected length is there too, and stands for any: on HID an answer is never cut to it.
  public func encodedShort() -> [UInt8]? {
    guard let count = UInt8(exactly: data.count) else { return nil }
    return [cla, ins, p1, p2] + (data.isEmpty ? [] : [count]) + data + [0]
  }

  /// Reads a frame in the short or the extended form, with or without an expected length.
  ///
  /// The form of 9 bytes that some hosts send for the version, with a length of zero, is read too. Throws a
  /// `MessageError` where the lengths contradict the number of bytes.
  public init(_ bytes: [UInt8]) throws(MessageError) {
    guard bytes.count >= 4 else {
      throw MessageError(
        message: Self.name, member: "header", problem: .truncated(needed: 4, remaining: bytes.count))
    }
    (cla, ins, p1, p2) = (bytes[0], bytes[1], bytes[2], bytes[3])
    let body = Array(bytes[4...])
    // Nothing, or one byte of expected length: no data.
    if body.count < 2 {
      data = []
    } else {
      data = try body[0] == 0 ? Self.extendedData(body) : Self.shortData(body)
    }
  }

  private static let name = "U2F request"

  private static func shortData(_ body: [UInt8]) throws(MessageError) -> [UInt8] {
    try data(body, start: 1, count: Int(body[0]), expectedLength: 1)
  }

  private static func extendedData(_ body: [UInt8]) throws(MessageError) -> [UInt8] {
    // 00 and two bytes: only an expected length.
    if body.count == 3 { return [] }
    guard body.count > 3 else {
      throw MessageError(message: name, member: "Lc", problem: .truncated(needed: 3, remaining: body.count))
    }
    return try data(body, start: 3, count: Int(body[1]) << 8 | Int(body[2]), expectedLength: 2)
  }

  private static func data(
    _ body: [UInt8], start: Int, count: Int, expectedLength: Int
  ) throws(MessageError) -> [UInt8] {
    let available = body.count - start
    guard count <= available else {
      throw MessageError(message: name, member: "data", problem: .truncated(needed: count, remaining: available))
    }
    guard available == count || available == count + expectedLength else {
      throw MessageError(message: name, problem: .trailingBytes(available - count))
    }
    return Array(body[start..<start + count])
  }
}
