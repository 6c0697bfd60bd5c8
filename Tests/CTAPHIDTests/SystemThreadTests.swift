import Synchronization
import Testing
import Timing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Threads of the system's")
struct SystemThreadTests {
  private static func isBlocked(_ signal: Int32) -> Bool {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return sigismember(&mask, signal) == 1
  }

  @Test("joining waits until the body is done")
  func join() throws {
    final class Flag: Sendable { let isDone = Atomic(false) }
    let flag = Flag()
    let thread = try SystemThread {
      usleep(20_000)
      flag.isDone.store(true, ordering: .releasing)
    }
    thread.join()
    let isDone = flag.isDone.load(ordering: .acquiring)
    #expect(isDone)
  }

  @Test("signals are left to other threads, except those that report a crash", arguments: [true, false])
  func signals(detached: Bool) async throws {
    let found: [Int32: Bool] = try await withCheckedThrowingContinuation { continuation in
      let body = { @Sendable in
        let signals = [SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGSEGV, SIGBUS, SIGABRT, SIGILL]
        continuation.resume(returning: Dictionary(uniqueKeysWithValues: signals.map { ($0, Self.isBlocked($0)) }))
      }
      do {
        if detached { try SystemThread.detach(body) } else { try SystemThread(body).join() }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    for signal in [SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD] { #expect(found[signal] == true) }
    for signal in [SIGSEGV, SIGBUS, SIGABRT, SIGILL] { #expect(found[signal] == false) }
  }

  @Test("the signals of the thread that starts another stay as they are")
  func starter() throws {
    let before = (1..<32).map(Self.isBlocked)
    try SystemThread {}.join()
    #expect((1..<32).map(Self.isBlocked) == before)
  }

  @Test("a stack as small or large as asked for serves", arguments: [nil, 256 << 10, 1 << 20, 16 << 20])
  func stacks(size: Int?) async throws {
    let sum = try await withCheckedThrowingContinuation { continuation in
      do throws(SystemThread.StartError) {
        try SystemThread.detach(stackSize: size) { continuation.resume(returning: (0...10).reduce(0, +)) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(sum == 55)
  }

  @Test("where the system gives no thread the error says so, and the body is let go and not run")
  func noThread() {
    final class Witness: Sendable {}
    weak var held: Witness?
    do {
      let witness = Witness()
      held = witness
      let error = #expect(throws: SystemThread.StartError.self) {
        try SystemThread.detach(stackSize: 1 << 60) { _ = witness }
      }
      #expect(error?.code != 0)
      #expect(error?.message.isEmpty == false)
    }
    #expect(held == nil)
  }
}
