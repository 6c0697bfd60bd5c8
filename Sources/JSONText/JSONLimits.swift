/// The bounds of what the parser accepts, checked while it reads.
public struct JSONLimits: Hashable, Sendable {
  /// The most bytes of input; at most 1 GiB.
  public let size: Int
  /// The most levels of nested arrays and objects; at most `depthCeiling`.
  public let depth: Int
  /// The most values in total, counting member names, so that small values cannot cost much more than their text.
  public let values: Int

  /// The depth that no limit can exceed, because parsing takes stack space for every level.
  public static let depthCeiling = 256

  /// Creates limits; what exceeds a ceiling becomes the ceiling.
  public init(size: Int = 1 << 20, depth: Int = 64, values: Int = 1 << 18) {
    self.size = min(size, 1 << 30)
    self.depth = min(depth, Self.depthCeiling)
    self.values = values
  }

  /// 1 MiB, 64 levels and 262,144 values, which no WebAuthn request comes near.
  public static let standard = JSONLimits()
}
