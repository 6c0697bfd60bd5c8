internal import Synchronization
internal import Timing

/// The end that a ceremony has in any case: its deadline, or the caller's cancellation.
struct CeremonyLimit: Sendable {
  let clock: any MonotonicClock
  let deadline: Instant
  let cancellation: CeremonyCancellation
  let kind: CeremonyKind

  /// How often the clock is looked at while something outside is awaited. A clock that a test turns by hand has no
  /// other way to be heard.
  private static let step = Duration.milliseconds(20)

  /// The time that is left; zero when it is over.
  var remaining: Duration { deadline.since(clock.now) }

  /// The error that ends the ceremony now, or nil.
  var reached: WebAuthnError? {
    if cancellation.isCancelled { return cancelledError }
    return clock.now >= deadline ? timedOutError : nil
  }

  /// Throws where the ceremony is over.
  func check() throws(WebAuthnError) {
    if let reached { throw reached }
  }

  /// Waits for an operation, but no longer than the limit.
  ///
  /// An operation that ignores its cancellation is left behind: it goes on, and nobody waits for it. (A task group would
  /// wait for it and so make the deadline a lie.)
  func run<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(WebAuthnError) -> Value
  ) async throws(WebAuthnError) -> Value {
    try check()
    let outcome = FirstOutcome<Value>()
    let work = Task {
      do throws(WebAuthnError) {
        outcome.finish(.success(try await operation()))
      } catch {
        outcome.finish(.failure(error))
      }
    }
    let watch = Task {
      while !Task.isCancelled {
        if let reached { return outcome.finish(.failure(reached)) }
        try? await Task.sleep(for: min(Self.step, max(remaining, .milliseconds(1))))
      }
    }
    let result = await outcome.value()
    work.cancel()
    watch.cancel()
    let value = try result.get()
    // An answer that came too late is no answer.
    try check()
    return value
  }
}

extension CeremonyLimit {
  /// The caller, or the user, cancelled.
  var cancelledError: WebAuthnError {
    WebAuthnError(.notAllowedError, .cancelled, "The \(kind.noun) was cancelled.")
  }

  /// The time is up.
  var timedOutError: WebAuthnError {
    WebAuthnError(.notAllowedError, .timedOut, "The time for the \(kind.noun) is up.")
  }
}

/// What is being done with a key.
enum CeremonyKind: Sendable {
  case registration, signIn, management

  /// What to call it in a sentence.
  var noun: String {
    switch self {
    case .registration: "registration"
    case .signIn: "sign-in"
    case .management: "work on the key"
    }
  }

  /// A clause that says that it had no effect.
  var nothingDone: String {
    switch self {
    case .registration: "nothing was created"
    case .signIn: "nothing was signed"
    case .management: "nothing was changed"
    }
  }
}

/// A cancellation that reaches every key of a ceremony.
final class CeremonyCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var children: [Cancellation] = []
  }

  private let state = Mutex(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    let children = state.withLock { state in
      state.isCancelled = true
      return state.children
    }
    for child in children { child.cancel() }
  }

  /// A switch for one key, which this cancellation throws too.
  func child() -> Cancellation {
    let child = Cancellation()
    let isCancelled = state.withLock { state in
      state.children.append(child)
      return state.isCancelled
    }
    if isCancelled { child.cancel() }
    return child
  }
}

/// The first of several results, for one who waits.
private final class FirstOutcome<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, WebAuthnError>?
    var waiter: CheckedContinuation<Result<Value, WebAuthnError>, Never>?
  }

  private let state = Mutex(State())

  func finish(_ result: Result<Value, WebAuthnError>) {
    let waiter = state.withLock { state in
      guard state.result == nil else { return nil as CheckedContinuation<Result<Value, WebAuthnError>, Never>? }
      state.result = result
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: result)
  }

  func value() async -> Result<Value, WebAuthnError> {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiter = continuation }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }
}
