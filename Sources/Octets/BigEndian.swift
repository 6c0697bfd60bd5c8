extension Array where Element == UInt8 {
  /// Appends an integer, most significant byte first.
  public mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
    var shift = Value.bitWidth - 8
    while shift >= 0 {
      append(UInt8(truncatingIfNeeded: value >> Value(shift)))
      shift -= 8
    }
  }
}
