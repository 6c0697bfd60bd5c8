import COpenSSL

/// An `OSSL_PARAM` array that owns its values and wipes them when it goes.
///
/// OpenSSL keeps the pointers to names and values, so names are static and values are in allocations of their own.
final class Parameters {
  private var entries: [OSSL_PARAM] = []
  private var buffers: [UnsafeMutableRawBufferPointer] = []

  deinit {
    for buffer in buffers {
      OPENSSL_cleanse(buffer.baseAddress, buffer.count)
      buffer.deallocate()
    }
  }

  /// Adds a text, such as the name of a curve or digest.
  func text(_ name: StaticString, _ value: String) {
    let utf8 = Array(value.utf8)
    let buffer = utf8.withUnsafeBytes { own($0) }
    entries.append(
      OSSL_PARAM_construct_utf8_string(
        Self.pointer(name), buffer.baseAddress?.assumingMemoryBound(to: CChar.self), utf8.count))
  }

  /// Adds a byte string.
  func octets(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    let buffer = own(value)
    entries.append(OSSL_PARAM_construct_octet_string(Self.pointer(name), buffer.baseAddress, value.count))
  }

  /// Adds a byte string.
  func octets(_ name: StaticString, _ value: [UInt8]) {
    value.withUnsafeBytes { octets(name, $0) }
  }

  /// Adds a non-negative integer given most significant byte first.
  func unsigned(_ name: StaticString, bigEndian value: UnsafeRawBufferPointer) {
    let buffer = own(value)
    #if _endian(little)
      // OpenSSL takes integers in the machine's order.
      var bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<value.count])
      bytes.reverse()
    #endif
    entries.append(
      OSSL_PARAM_construct_BN(
        Self.pointer(name), buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), value.count))
  }

  /// Adds a non-negative integer given most significant byte first.
  func unsigned(_ name: StaticString, bigEndian value: [UInt8]) {
    value.withUnsafeBytes { unsigned(name, bigEndian: $0) }
  }

  /// Calls `body` with the terminated array, valid until it returns.
  func withPointer<Result>(_ body: (UnsafeMutablePointer<OSSL_PARAM>?) -> Result) -> Result {
    var terminated = entries + [OSSL_PARAM_construct_end()]
    return withExtendedLifetime(self) { terminated.withUnsafeMutableBufferPointer { body($0.baseAddress) } }
  }

  /// Copies a value, with a zero byte behind it for the calls that want a C string.
  private func own(_ value: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count + 1, alignment: 16)
    buffer.copyMemory(from: value)
    buffer[value.count] = 0
    buffers.append(buffer)
    return buffer
  }

  private static func pointer(_ name: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
