public import CTAPMessages

/// What a key takes of a list of credentials, and the lists cut to that.
///
/// 1. An id longer than `maxCredentialIdLength` is not this key's and is dropped.
/// 2. A message has at most `maxCredentialCountInList` ids; a key that states none, or 0, takes one at a time.
/// 3. A request is no longer than `maxMsgSize` (1024 bytes where unstated) and than CTAPHID can carry.
/// 4. `transports` are left out of what is sent: some old keys refuse a descriptor that has them.
public struct CredentialLimits: Hashable, Sendable {
  /// The most ids in one message.
  public let count: Int
  /// The longest id in bytes, or nil where the key states none.
  public let idLength: Int?
  /// The longest request in bytes, its command byte included.
  public let messageSize: Int

  /// The longest CTAPHID message: 57 bytes and 128 times 59.
  private static let longestMessage = 7609

  /// Reads the limits from what the key says of itself.
  public init(_ info: GetInfoResponse) {
    count = max(1, Int(clamping: info.maxCredentialCountInList ?? 1))
    idLength = info.maxCredentialIdLength.map { Int(clamping: $0) }
    messageSize = min(Int(clamping: info.effectiveMaxMsgSize), Self.longestMessage)
  }

  /// The credentials that this key could have, as they are sent.
  public func usable(_ list: [CredentialDescriptor]) -> [CredentialDescriptor] {
    list.filter { descriptor in idLength.map { descriptor.id.count <= $0 } ?? true }.map { descriptor in
      CredentialDescriptor(id: descriptor.id, type: descriptor.type, transports: nil)
    }
  }

  /// How many of `sizes` (encoded descriptors, in bytes) fit beside `fixed` bytes of request, `most` at most.
  func fitting(_ sizes: some Sequence<Int>, beside fixed: Int, most: Int) -> Int {
    var total = fixed
    var number = 0
    for size in sizes {
      guard number < min(count, most) else { break }
      let (sum, overflow) = total.addingReportingOverflow(size)
      guard !overflow, sum + Self.headSize(number + 1) <= messageSize else { break }
      total = sum
      number += 1
    }
    return number
  }

  /// The size in bytes of the CBOR head of an array of `count` elements.
  static func headSize(_ count: Int) -> Int {
    switch count {
    case ..<24: 1
    case ..<256: 2
    case ..<65536: 3
    default: 5
    }
  }
}
