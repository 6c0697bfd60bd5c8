import Synchronization

/// A store that lasts as long as the process.
public final class MemoryStore: VirtualKeyStore {
  private let state: Mutex<VirtualKeyState?>

  /// Creates a store, empty or with a state.
  public init(_ state: VirtualKeyState? = nil) {
    self.state = Mutex(state)
  }

  /// Always succeeds.
  public func acquire() -> Bool { true }

  /// Does nothing.
  public func release() {}

  /// The state that was saved last.
  public func load() -> VirtualKeyState? { state.withLock { $0 } }

  /// Keeps the state.
  public func save(_ state: VirtualKeyState) { self.state.withLock { $0 = state } }
}
