public import Octets
internal import Synchronization

/// A source of bytes that are decided by a seed: the same in every run and on every machine, and no secret.
public final class SeededRandom: RandomSource {
  private let state: Mutex<SplitMix64>

  /// Creates a source from a seed.
  public init(seed: UInt64 = 1) {
    state = Mutex(SplitMix64(seed: seed))
  }

  /// Returns the next `count` bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    state.withLock { generator in
      var bytes: [UInt8] = []
      while bytes.count < count { bytes.append(bigEndian: generator.next()) }
      return Array(bytes.prefix(max(0, count)))
    }
  }
}

/// The SplitMix64 generator (Steele, Lea, Flood 2014), for tests that draw numbers from a seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator from a seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
