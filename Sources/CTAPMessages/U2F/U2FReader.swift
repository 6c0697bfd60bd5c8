/// Reads the members of a U2F message, which have no keys but a place.
struct U2FReader {
  private let data: [UInt8]
  private let message: String
  private var offset = 0

  init(_ data: [UInt8], _ message: String) {
    self.data = data
    self.message = message
  }

  mutating func byte(_ member: String) throws(MessageError) -> UInt8 {
    try bytes(1, member)[0]
  }

  mutating func bytes(_ count: Int, _ member: String) throws(MessageError) -> [UInt8] {
    let remaining = data.count - offset
    guard count <= remaining else {
      throw MessageError(message: message, member: member, problem: .truncated(needed: count, remaining: remaining))
    }
    defer { offset += count }
    return Array(data[offset..<offset + count])
  }

  /// Reads one DER SEQUENCE, tag and length included (X.690 §8.1), without a look at what is in it.
  mutating func sequence(_ member: String) throws(MessageError) -> [UInt8] {
    let start = offset
    let tag = try byte(member)
    guard tag == 0x30 else { throw error(member, expected: "a DER sequence", found: "tag \(tag)") }
    let first = try byte(member)
    var length = Int(first)
    if first >= 0x80 {
      // Two bytes of length reach 65535, more than a message holds.
      guard first == 0x81 || first == 0x82 else {
        throw error(member, expected: "a DER length of at most two bytes", found: "\(first)")
      }
      length = try bytes(Int(first & 0x0f), member).reduce(0) { $0 << 8 | Int($1) }
    }
    _ = try bytes(length, member)
    return Array(data[start..<offset])
  }

  func end() throws(MessageError) {
    guard offset == data.count else {
      throw MessageError(message: message, problem: .trailingBytes(data.count - offset))
    }
  }

  func error(_ member: String, expected: String, found: String) -> MessageError {
    MessageError(message: message, member: member, problem: .wrongValue(expected: expected, found: found))
  }
}
