import Octets
import Synchronization

/// A source that gives out prepared bytes, a piece for each call, and the last one for ever.
final class FixedRandom: RandomSource {
  private let pieces: Mutex<[[UInt8]]>

  init(_ pieces: [[UInt8]]) {
    self.pieces = Mutex(pieces)
  }

  func bytes(_ count: Int) -> [UInt8] {
    pieces.withLock { pieces in
      let piece = pieces.count > 1 ? pieces.removeFirst() : pieces[0]
      return Array((piece + [UInt8](repeating: 0, count: count)).prefix(count))
    }
  }
}
