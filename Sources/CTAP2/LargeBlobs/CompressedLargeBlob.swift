internal import RawDeflate

/// The data of a large blob in the form in which keys keep it: compressed, with its size beforehand (CTAP 2.3 §6.10.3,
/// §12.4).
public struct CompressedLargeBlob: Hashable, Sendable {
  /// The most bytes of data that are compressed or expanded here; libfido2 stops at the same size.
  public static let largestData = 1 << 20

  /// The compressed data.
  public let bytes: [UInt8]
  /// The size of the data before it was compressed, in bytes; of what a key says, nothing vouches for it.
  public let originalSize: UInt64

  /// Takes what a key keeps.
  public init(bytes: [UInt8], originalSize: UInt64) {
    self.bytes = bytes
    self.originalSize = originalSize
  }

  /// Compresses data.
  /// - Throws: `largeBlobUnfit` for more than `largestData` bytes.
  public init(compressing data: [UInt8]) throws(CTAP2Error) {
    guard data.count <= Self.largestData else {
      throw .largeBlobUnfit("it has \(data.count) bytes, and no more than \(Self.largestData) can be read again")
    }
    do throws(DeflateError) {
      bytes = try Deflate.compress(data)
    } catch {
      throw .largeBlobUnfit("\(error)")
    }
    originalSize = UInt64(data.count)
  }

  /// Expands the data; no more memory is taken than what comes out, and that is bounded.
  /// - Throws: `largeBlobUnfit` where it is damaged, too large, or of another size than is said.
  public func expanded() throws(CTAP2Error) -> [UInt8] {
    guard originalSize <= UInt64(Self.largestData) else {
      throw .largeBlobUnfit("it says that it has \(originalSize) bytes, and \(Self.largestData) are the most")
    }
    let data: [UInt8]
    do throws(DeflateError) {
      data = try Deflate.expand(bytes, limit: Int(originalSize))
    } catch {
      throw .largeBlobUnfit("\(error)")
    }
    guard data.count == originalSize else {
      throw .largeBlobUnfit("it has \(data.count) bytes, and says that it has \(originalSize)")
    }
    return data
  }
}
