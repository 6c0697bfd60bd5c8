#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Bytes that are zeroed when the last reference goes, and that no description prints.
///
/// The bytes live in one allocation of their own that is never copied by growing. Copies that a caller makes
/// are the caller's to wipe.
public final class SecretBytes: Sendable, CustomStringConvertible, CustomReflectable {
  // Written only during initialisation, so sharing it between threads is safe.
  nonisolated(unsafe) private let storage: UnsafeMutableRawBufferPointer

  /// Creates a secret of `count` bytes that `fill` writes; the buffer is zero beforehand.
  public init<Failure: Error>(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    do throws(Failure) {
      try fill(buffer)
    } catch {
      wipeMemory(buffer)
      buffer.deallocate()
      throw error
    }
    storage = buffer
  }

  /// Creates a secret from a copy of `bytes`; prefer `init(taking:)`, which wipes its source.
  public convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Creates a secret from `bytes` and zeroes them in the caller's array.
  public convenience init(taking bytes: inout [UInt8]) {
    self.init(bytes)
    bytes.wipe()
    bytes.removeAll()
  }

  deinit {
    wipeMemory(storage)
    storage.deallocate()
  }

  /// The number of bytes.
  public var count: Int { storage.count }

  /// Calls `body` with the bytes, which are valid only until it returns.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage))
  }

  /// A copy of a part as a new secret, or nil where the range is outside.
  public func slice(_ range: Range<Int>) -> SecretBytes? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    return SecretBytes(count: range.count) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[range])) }
  }

  /// The bytes as an array, for a protocol message that must carry them; the caller wipes it.
  public func exposed() -> [UInt8] { Array(storage) }

  /// The size, never the content.
  public var description: String { "<secret of \(count) bytes>" }

  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Array where Element == UInt8 {
  /// Overwrites the bytes with zeros in a way that the optimiser keeps.
  ///
  /// Only the sole owner of the storage can do that: while another array shares it, the zeros go to a copy.
  public mutating func wipe() {
    withUnsafeMutableBytes { wipeMemory($0) }
  }
}

private func wipeMemory(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let base = buffer.baseAddress else { return }
  #if canImport(Darwin)
    memset_s(base, buffer.count, 0, buffer.count)
  #else
    explicit_bzero(base, buffer.count)
  #endif
}
