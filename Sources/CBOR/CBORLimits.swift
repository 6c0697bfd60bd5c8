/// The bounds of what the decoder accepts, checked before anything is allocated.
public struct CBORLimits: Hashable, Sendable {
  /// The most levels of nested arrays, maps and tags; at most `depthCeiling`.
  public let depth: Int
  /// The most items in total, counting keys, values and containers.
  public let items: Int
  /// The most bytes of input.
  public let size: Int

  /// The depth that no limit can exceed, because decoding takes stack space for every level.
  public static let depthCeiling = 128

  /// Creates limits; a depth over `depthCeiling` becomes that.
  public init(depth: Int = 16, items: Int = 65_536, size: Int = 1 << 20) {
    self.depth = min(depth, Self.depthCeiling)
    self.items = items
    self.size = size
  }

  /// What answers of keys, certificates and extension outputs stay far below: 16 levels, 65,536 items, 1 MiB.
  public static let standard = CBORLimits()

  /// The nesting that CTAP2 allows in its own messages: 4 levels (CTAP 2.2 §8, message encoding).
  public static let message = CBORLimits(depth: 4)
}
