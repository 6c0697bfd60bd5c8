import CZlib

/// Compression by DEFLATE without a header or a checksum (RFC 1951), in one piece.
public enum Deflate {
  /// Compresses bytes as small as they get.
  /// - Throws: `libraryFailed` where memory is short, `tooLarge` for 4 GiB and more.
  public static func compress(_ bytes: [UInt8]) throws(DeflateError) -> [UInt8] {
    let count = try length(bytes)
    let stream = Stream()
    try check(
      deflateInit2_(
        stream.pointer, Z_BEST_COMPRESSION, Z_DEFLATED, rawWindow, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Stream.size))
    defer { deflateEnd(stream.pointer) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(stream.pointer, UInt(count))))
    let room = try length(output)
    let status = bytes.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.read(input, count)
        stream.write(output, room)
        return CZlib.deflate(stream.pointer, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else { throw .libraryFailed(status) }
    return Array(output.dropLast(Int(stream.pointer.pointee.avail_out)))
  }

  /// Expands what is one compressed stream and nothing else.
  ///
  /// Memory grows with what comes out and never beyond the limit, whatever the input promises.
  ///
  /// - Parameters:
  ///   - bytes: the stream.
  ///   - limit: the most bytes that may come out.
  /// - Throws: `tooLarge` where more than that would come out, `malformed` where the input is no whole stream, or where
  ///   something comes after it.
  public static func expand(_ bytes: [UInt8], limit: Int) throws(DeflateError) -> [UInt8] {
    let count = try length(bytes)
    let stream = Stream()
    try check(inflateInit2_(stream.pointer, rawWindow, ZLIB_VERSION, Stream.size))
    defer { inflateEnd(stream.pointer) }
    return try bytes.withUnsafeBufferPointer { (input) throws(DeflateError) -> [UInt8] in
      stream.read(input, count)
      var output: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: pieceSize)
      while true {
        let status = piece.withUnsafeMutableBufferPointer { piece in
          stream.write(piece, UInt32(pieceSize))
          return inflate(stream.pointer, Z_NO_FLUSH)
        }
        let made = pieceSize - Int(stream.pointer.pointee.avail_out)
        guard made <= limit - output.count else { throw .tooLarge(limit: limit) }
        output += piece[..<made]
        switch status {
        case Z_STREAM_END where stream.pointer.pointee.avail_in == 0: return output
        case Z_OK where made > 0: continue
        case Z_MEM_ERROR: throw .libraryFailed(status)
        default: throw .malformed
        }
      }
    }
  }

  /// How much is expanded at a time, in bytes.
  private static let pieceSize = 16_384
  /// A window of 32 KiB; negative means that there is neither header nor checksum.
  private static let rawWindow: Int32 = -15

  private static func length(_ bytes: [UInt8]) throws(DeflateError) -> UInt32 {
    guard let length = UInt32(exactly: bytes.count) else { throw .tooLarge(limit: Int(UInt32.max)) }
    return length
  }

  private static func check(_ status: Int32) throws(DeflateError) {
    guard status == Z_OK else { throw .libraryFailed(status) }
  }
}

/// zlib's stream, at an address of its own, because the library keeps that and compares it.
private final class Stream {
  static let size = Int32(MemoryLayout<z_stream>.size)
  let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  init() { pointer.initialize(to: z_stream()) }

  deinit { pointer.deallocate() }

  /// Sets what is read next; the buffer must live while the stream works on it.
  func read(_ input: UnsafeBufferPointer<UInt8>, _ count: UInt32) {
    pointer.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    pointer.pointee.avail_in = count
  }

  /// Sets where is written next; the buffer must live while the stream works on it.
  func write(_ output: UnsafeMutableBufferPointer<UInt8>, _ room: UInt32) {
    pointer.pointee.next_out = output.baseAddress
    pointer.pointee.avail_out = room
  }
}

/// Why bytes cannot be compressed or expanded.
public enum DeflateError: Error, Hashable, Sendable {
  /// More would come out than the limit allows, or goes in than the library takes.
  case tooLarge(limit: Int)
  /// The input is not one whole stream.
  case malformed
  /// The library failed, with its status.
  case libraryFailed(Int32)
}

extension DeflateError: CustomStringConvertible {
  /// A clause for a person.
  public var description: String {
    switch self {
    case .tooLarge(let limit): "it has more than \(limit) bytes"
    case .malformed: "it is not compressed as it should be"
    case .libraryFailed(let status): "compression failed (\(status))"
    }
  }
}
