import Synchronization

/// A switch that goes from "go on" to "stop" once; waits look at it between their slices.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Creates a switch that says "go on".
  public init() {}

  /// Says "stop", now and for ever.
  public func cancel() { flag.store(true, ordering: .releasing) }

  /// Whether `cancel()` was called.
  public var isCancelled: Bool { flag.load(ordering: .acquiring) }
}
