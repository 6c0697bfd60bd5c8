import COpenSSL
public import Octets

/// Random bytes from OpenSSL's generator, which the operating system seeds.
public struct SystemRandom: RandomSource {
  /// Creates the source; all values are alike.
  public init() {}

  /// Returns `count` random bytes; a negative count gives none.
  public func bytes(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    ErrorQueue.clear()
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      // RAND_bytes counts in a C int.
      let part = min(count - filled, 1 << 20)
      let status = bytes.withUnsafeMutableBufferPointer { buffer in
        RAND_bytes(buffer.baseAddress?.advanced(by: filled), Int32(part))
      }
      // Going on with bytes that are not random would be worse than stopping.
      guard status == 1 else { fatalError("\(ErrorQueue.failure("make random bytes"))") }
      filled += part
    }
    return bytes
  }
}
