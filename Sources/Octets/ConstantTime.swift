/// Comparisons whose time depends on lengths alone.
public enum ConstantTime {
  /// Whether both sequences hold the same bytes.
  @inline(never)
  public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference == 0
  }

  /// Whether both secrets hold the same bytes.
  public static func equal(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
    left.withBytes { one in right.withBytes { other in equal(one, other) } }
  }
}
