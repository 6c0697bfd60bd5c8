internal import CCBOR

extension CBORValue {
  /// Encodes the item in the CTAP2 canonical form (CTAP 2.2 §8): shortest integers and lengths, definite lengths, and
  /// map keys in the bytewise order of their encodings.
  ///
  /// Floating-point numbers take the shortest of the three widths that keeps their value, and every NaN becomes the
  /// quiet half-width one. Simple values 20 to 23 are false, true, null and undefined; 24 to 31 do not exist and
  /// become undefined, so that encoding cannot fail.
  public func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.append(self)
    return encoder.output
  }
}

extension CBORMap {
  /// Encodes the map as `CBORValue.encoded()` does.
  public func encoded() -> [UInt8] { CBORValue.map(self).encoded() }
}

/// Writes items one after the other; the heads come from libcbor.
struct CBOREncoder {
  private(set) var output: [UInt8] = []

  private typealias HeadFunction = (UnsafeMutablePointer<UInt8>?, Int) -> Int

  mutating func append(_ value: CBORValue) {
    switch value {
    case .unsigned(let magnitude): head { cbor_encode_uint(magnitude, $0, $1) }
    case .negative(let magnitude): head { cbor_encode_negint(magnitude, $0, $1) }
    case .bytes(let bytes):
      head { cbor_encode_bytestring_start(bytes.count, $0, $1) }
      output.append(contentsOf: bytes)
    case .text(let text):
      head { cbor_encode_string_start(text.utf8.count, $0, $1) }
      output.append(contentsOf: text.utf8)
    case .array(let elements):
      head { cbor_encode_array_start(elements.count, $0, $1) }
      for element in elements { append(element) }
    case .map(let map): append(map)
    case .tagged(let tag, let content):
      head { cbor_encode_tag(tag, $0, $1) }
      append(content)
    case .bool(let flag): head { cbor_encode_bool(flag, $0, $1) }
    case .null: head { cbor_encode_null($0, $1) }
    case .undefined, .simple(24...31): head { cbor_encode_undef($0, $1) }
    case .simple(let number): head { cbor_encode_ctrl(number, $0, $1) }
    case .float(let number): append(number)
    }
  }

  private mutating func append(_ map: CBORMap) {
    var entries = map.entries.map { (key: $0.key.encoded(), value: $0.value) }
    entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
    head { cbor_encode_map_start(entries.count, $0, $1) }
    for (key, value) in entries {
      output.append(contentsOf: key)
      append(value)
    }
  }

  private mutating func append(_ number: Double) {
    if let half = number.exactHalf {
      // Not libcbor's encoder, which loses the low bits of subnormal numbers.
      output.append(contentsOf: [0xf9, UInt8(half >> 8), UInt8(half & 0xff)])
    } else if Double(Float(number)) == number {
      head { cbor_encode_single(Float(number), $0, $1) }
    } else {
      head { cbor_encode_double(number, $0, $1) }
    }
  }

  /// Appends an initial byte with its argument, at most nine bytes.
  private mutating func head(_ encode: HeadFunction) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { buffer in
      let count = encode(buffer.baseAddress, buffer.count)
      output.append(contentsOf: buffer[..<count])
    }
  }
}

extension Double {
  /// The bits of the same number in half width (IEEE 754 binary16), or nil where it has none.
  fileprivate var exactHalf: UInt16? {
    if isNaN { return 0x7e00 }
    let sign: UInt16 = self.sign == .minus ? 0x8000 : 0
    if isInfinite { return sign | 0x7c00 }
    if isZero { return sign }
    // Half width counts in steps of 2^-24 up to 2^-14 and then in 1,024 steps for every power of two.
    let power = max(Int(exponent), -14)
    guard power <= 15 else { return nil }
    let steps = magnitude * Double(sign: .plus, exponent: 10 - power, significand: 1)
    guard let whole = UInt16(exactly: steps) else { return nil }
    return sign | (whole < 1024 ? whole : UInt16(power + 15) << 10 | (whole & 0x3ff))
  }
}
