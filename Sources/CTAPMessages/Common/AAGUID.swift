import CBOR
import Octets

/// The 128 bits that name a model of authenticator (WebAuthn L3 §6.5.1).
public struct AAGUID: Hashable, Sendable {
  /// The 16 bytes, in the order of the text form.
  public let bytes: [UInt8]

  /// Creates an AAGUID from 16 bytes; any other number is nil.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Takes bytes whose number has been checked.
  init(sixteen bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Sixteen zero bytes, which U2F credentials and anonymous authenticators have.
  public static let zero = AAGUID(sixteen: [UInt8](repeating: 0, count: 16))

  /// Whether all bytes are zero, so that no model is named.
  public var isZero: Bool { self == .zero }
}

extension AAGUID: LosslessStringConvertible {
  /// Reads the text form of a UUID, or the same 32 hexadecimal digits without hyphens, in either case.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 1 || parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    guard let bytes = Hex.decode(parts.joined()) else { return nil }
    self.init(bytes)
  }

  /// The text form of a UUID in lower case: 8, 4, 4, 4 and 12 digits.
  public var description: String {
    [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }.joined(separator: "-")
  }
}

extension MemberType where Value == AAGUID {
  /// A byte string of 16 bytes.
  static var aaguid: Self {
    MemberType { value throws(MessageError) in
      let bytes = try MemberType<[UInt8]>.bytes.read(value)
      guard let aaguid = AAGUID(bytes) else { throw .wrongValue("16 bytes", "\(bytes.count) bytes") }
      return aaguid
    }
  }
}
