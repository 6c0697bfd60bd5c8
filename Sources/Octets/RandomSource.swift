/// A source of random bytes, passed in so that a test or a recording can decide them.
public protocol RandomSource: Sendable {
  /// Returns `count` random bytes.
  func bytes(_ count: Int) -> [UInt8]
}
