extension JSONValue {
  /// The number as it is written; nil for other kinds.
  public var numberText: String? {
    kind == .number ? String(decoding: sourceSlice, as: UTF8.self) : nil
  }

  /// The nearest floating-point number; nil for other kinds and for numbers beyond the largest one.
  public var doubleValue: Double? {
    guard let numberText, let number = Double(numberText), number.isFinite else { return nil }
    return number
  }

  /// The number where it is an integer that fits, however it is written (`1`, `1.0`, `2e0`, `10e-1`).
  ///
  /// The arithmetic is exact, and an exponent of any size costs no more than its digits.
  public var integerValue: Int? {
    kind == .number ? DecimalNumber(sourceSlice).integer : nil
  }
}

/// The parts of a number that the parser has checked.
private struct DecimalNumber {
  private var isNegative = false
  /// The digits before and after the point.
  private var digits: [UInt8] = []
  /// The power of ten that the last digit counts.
  private var exponent = 0

  /// Far beyond what any number of digits could make up for, and far from overflow.
  private static let exponentCeiling = 1 << 40

  init(_ source: ArraySlice<UInt8>) {
    var fractionDigits = 0
    var inFraction = false
    for (position, byte) in zip(source.indices, source) {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): inFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent = Self.exponent(source[(position + 1)...]) - fractionDigits
        return
      default:
        digits.append(byte - UInt8(ascii: "0"))
        fractionDigits += inFraction ? 1 : 0
      }
    }
    exponent = -fractionDigits
  }

  private static func exponent(_ source: ArraySlice<UInt8>) -> Int {
    var magnitude = 0
    for byte in source where byte >= UInt8(ascii: "0") {
      magnitude = min(magnitude * 10 + Int(byte - UInt8(ascii: "0")), exponentCeiling)
    }
    return source.first == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  var integer: Int? {
    guard let last = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    let zeros = exponent + (digits.count - 1 - last)
    // Digits behind the point are no integer, and twenty digits do not fit.
    guard zeros >= 0, zeros < 20 else { return nil }
    var value = 0
    for digit in digits[...last] + repeatElement(0, count: zeros) {
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      // Downwards for negative numbers, because Int.min has no positive twin.
      let (next, carry) =
        isNegative ? scaled.subtractingReportingOverflow(Int(digit)) : scaled.addingReportingOverflow(Int(digit))
      guard !overflow, !carry else { return nil }
      value = next
    }
    return value
  }
}
