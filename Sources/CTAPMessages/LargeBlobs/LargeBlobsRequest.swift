public import CBOR
import Octets

/// The parameters of authenticatorLargeBlobs (CTAP 2.3 §6.10).
public struct LargeBlobsRequest: Hashable, Sendable {
  /// How many bytes to read.
  public var get: Int?
  /// A part to write.
  public var set: [UInt8]?
  /// Where to read or write, in bytes from the start.
  public var offset: Int
  /// How many bytes will be written in all; only with the first part.
  public var length: Int?
  /// What proves that a PIN/UV token is held, over `authenticatedBytes(hashOfSet:)`.
  public var pinUvAuthParam: [UInt8]?
  /// The PIN/UV protocol of the token.
  public var pinUvAuthProtocol: Int?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates a request.
  public init(
    get: Int? = nil, set: [UInt8]? = nil, offset: Int, length: Int? = nil, pinUvAuthParam: [UInt8]? = nil,
    pinUvAuthProtocol: Int? = nil, additional: CBORMap = CBORMap()
  ) {
    self.get = get
    self.set = set
    self.offset = offset
    self.length = length
    self.pinUvAuthParam = pinUvAuthParam
    self.pinUvAuthProtocol = pinUvAuthProtocol
    self.additional = additional
  }

  /// What `pinUvAuthParam` is computed over: 32 bytes FF, 0C 00, the offset in 4 bytes and the hash of `set`.
  ///
  /// The offset comes with its least significant byte first, unlike anything else in CTAP.
  public func authenticatedBytes(hashOfSet: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xff, count: 32) + [CTAPCommand.largeBlobs.rawValue, 0x00]
    bytes.append(bigEndian: UInt32(truncatingIfNeeded: offset).byteSwapped)
    return bytes + hashOfSet
  }
}
