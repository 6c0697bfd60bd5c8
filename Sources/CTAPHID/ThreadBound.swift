/// State that is not `Sendable`, kept on a key's thread.
///
///     let thread = try KeyThread()
///     let channel = try await ThreadBound(thread) { HostChannel(transport: …, clock: …, random: …) }
///     try await channel.run { channel throws(CTAPHIDError) in try channel.open(wait) }
///
/// An actor of your own does the same by keeping the `KeyThread` and returning it:
///
///     actor Session {
///       private let thread: KeyThread
///       nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
///     }
///
/// The state is let go wherever the last reference goes; what must be closed on the thread is closed there first.
public actor ThreadBound<State> {
  private let thread: KeyThread
  private var state: State

  /// The key's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Makes the state on the thread.
  public init<Failure: Error>(
    _ thread: KeyThread, _ make: @escaping @Sendable () throws(Failure) -> sending State
  ) async throws(Failure) {
    self.thread = thread
    // An actor runs on its executor only once all of it is there, so the state has to be fetched from the thread.
    state = try await thread.run { () throws(Failure) in Parcel(contents: try make()) }.contents
  }

  /// Runs `body` with the state on the thread, where it may block.
  public func run<Value: Sendable, Failure: Error>(
    _ body: @Sendable (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(&state)
  }
}

/// Carries the state from the thread to the actor that will use it on that thread only.
///
/// Unchecked: the state is new, and no one else has it.
private struct Parcel<Contents>: @unchecked Sendable {
  let contents: Contents
}
