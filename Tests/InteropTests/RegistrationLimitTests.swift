import BridgeTestSupport
import CTAPMessages
import Foundation
import Synchronization
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// The deadline and the caller's cancellation, at each place where a ceremony can stand.
struct RegistrationLimitTests {
  private let named = request(extensions: #"{"thalesgroup_ext_v1":true}"#)

  /// Waits for ever, whatever its task is told.
  private static func hang() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  @Test("a prompt that ignores everything cannot outlive the deadline")
  func hangingPrompt() async throws {
    let clock = ManualClock()
    let desk = Desk(
      Person(name: { _ in
        clock.advance(by: .seconds(400))
        await Self.hang()
        return nil
      }), clock: clock)
    let key = try desk.key()
    let error = try await desk.failure(named)
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .timedOut)
    #expect(key.commands == [.getInfo])
  }

  @Test("an answer that comes after the deadline is no answer")
  func lateAnswer() async throws {
    let clock = ManualClock()
    let desk = Desk(
      Person(name: { _ in
        clock.advance(by: .seconds(301))
        return AuthenticatorDescriptor(friendlyName: "late")
      }), clock: clock)
    let key = try desk.key()
    #expect(try await desk.failure(named).kind == .timedOut)
    #expect(key.credentials.isEmpty)
  }

  @Test(
    "the request's time is moved into 300 to 600 s, and the caller's own is not",
    arguments: [
      (nil, nil, 300), ("1000", nil, 300), ("450000", nil, 450), ("9000000", nil, 600), ("450000", 5, 5),
      (nil, 5000, 5000),
    ] as [(String?, Int?, Int)])
  func timeouts(_ requested: String?, _ own: Int?, _ expected: Int) async throws {
    let clock = ManualClock()
    // Just inside is in time, just outside is not.
    for (offset, isInTime) in [(-1, true), (1, false)] {
      var desk = Desk(
        Person(name: { _ in
          clock.advance(by: .seconds(expected) + .milliseconds(offset * 500))
          return nil
        }), clock: clock)
      desk.options.timeout = own.map { .seconds($0) }
      try desk.key()
      let text = request(
        extensions: #"{"thalesgroup_ext_v1":true}"#, more: requested.map { "\"timeout\":\($0)" } ?? "")
      if isInTime {
        _ = try await desk.register(text)
      } else {
        #expect(try await desk.failure(text).kind == .timedOut)
      }
    }
  }

  @Test("the deadline is passed down to the key, which is cancelled then")
  func deadlineOnKey() async throws {
    var desk = Desk()
    desk.options.timeout = .seconds(10)
    let key = try desk.key("virtual", .with(presence: .never))
    let start = desk.clock.now
    let error = try await desk.failure()
    #expect(error.kind == .timedOut)
    #expect(desk.clock.now.since(start) < .seconds(12))
    #expect(key.count { $0 == .cancelled(CTAPCommand.makeCredential.rawValue) } == 1)
  }

  /// Cancels the task of a registration at an event, and returns its error.
  private func cancelled(
    at trigger: String, _ text: String, plugged: Bool = true
  ) async throws -> (WebAuthnError, VirtualKeyPort, Person) {
    let task = Mutex<Task<RegistrationResponse, any Error>?>(nil)
    let person = Person(
      onEvent: { if $0 == trigger { task.withLock { $0 }?.cancel() } },
      name: { _ in
        await Self.hang()
        return nil
      })
    let desk = Desk(person, clock: SystemClock())
    let key = try desk.key("virtual", .with(presence: .never), plugged: plugged)
    task.withLock { $0 = Task { try await desk.register(text) } }
    do {
      _ = try await #require(task.withLock { $0 }).value
    } catch let error as WebAuthnError {
      return (error, key, person)
    }
    throw UserCancelled()
  }

  @Test("cancelling the task while the key waits for a touch cancels on the key")
  func cancelledAtTouch() async throws {
    let (error, key, _) = try await cancelled(at: "touch virtual", request())
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .cancelled)
    #expect(key.count { $0 == .cancelled(CTAPCommand.makeCredential.rawValue) } == 1)
    #expect(key.credentials.isEmpty)
    #expect(!key.isWaitingForTouch)
  }

  @Test("cancelling the task at a prompt ends at once, whatever the prompt does")
  func cancelledAtPrompt() async throws {
    let (error, key, _) = try await cancelled(at: "name", named)
    #expect(error.kind == .cancelled)
    #expect(key.commands == [.getInfo])
  }

  @Test("cancelling the task while a key is waited for ends the wait")
  func cancelledWhileWaiting() async throws {
    let (error, key, _) = try await cancelled(at: "waiting", request(), plugged: false)
    #expect(error.kind == .cancelled)
    #expect(key.transactions == 0)
  }

  @Test("a task that is cancelled from the start looks at no key")
  func cancelledBefore() async throws {
    let desk = Desk()
    let key = try desk.key()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await desk.failure()
    }
    #expect(try await task.value.kind == .cancelled)
    #expect(key.transactions == 0)
  }

  @Test("a success that comes after the deadline names the credential that now exists")
  func lateSuccess() async throws {
    let clock = ManualClock()
    var desk = Desk(clock: clock)
    desk.options.timeout = .seconds(10)
    // The key does not hear the cancellation and is touched just after it.
    let key = try desk.key(
      "virtual", .with(presence: .after(.milliseconds(10_200)), faults: [.ignoresCancel]))
    let error = try await desk.failure(request(residentKey: "required"))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .credentialExists)
    #expect(error.credentialID == key.credentials.first)
    #expect(key.credentials.count == 1)
    #expect(error.reason.contains("now exists"))
  }

  @Test("a success that comes after a cancellation names the credential that now exists")
  func successAfterCancel() async throws {
    let task = Mutex<Task<RegistrationResponse, any Error>?>(nil)
    let desk = Desk(
      Person(onEvent: { if $0 == "touch virtual" { task.withLock { $0 }?.cancel() } }), clock: SystemClock())
    let key = try desk.key("virtual", .with(presence: .after(.milliseconds(300)), faults: [.ignoresCancel]))
    task.withLock { $0 = Task { try await desk.register(request()) } }
    do {
      _ = try await #require(task.withLock { $0 }).value
      Issue.record("it succeeded")
    } catch let error as WebAuthnError {
      #expect(error.kind == .credentialExists)
      #expect(error.credentialID == key.credentials.first)
    }
  }

  @Test("with one key and a manual clock two runs are the same, byte for byte")
  func deterministic() async throws {
    func run() async throws -> ([UInt8], [VirtualKeyLogEntry], Instant) {
      let desk = Desk(Person(pins: ["0000", "1234"]))
      let key = try desk.key("virtual", .with(pin: "1234", presence: .after(.seconds(25))))
      let response = try await desk.register(request(verification: "required", attestation: "none"))
      return (response.json(), key.log, desk.clock.now)
    }
    let (first, second) = (try await run(), try await run())
    #expect(first.0.count == second.0.count)
    #expect(first.1.map(\.instant) == second.1.map(\.instant))
    #expect(first.2 == second.2)
  }
}
