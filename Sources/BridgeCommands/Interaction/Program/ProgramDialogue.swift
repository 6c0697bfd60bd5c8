import JSONText
import Octets
import Synchronization
import WebAuthnClient

/// The program that drives a command (`--interaction json`): events go to it, and answers come from it.
///
/// 1. An event is one JSON object on a line of stderr, an answer one on a line of stdin.
/// 2. A question stays open until a fitting answer comes; one that does not fit is refused with an event.
/// 3. A question that ends without an answer, because time is up or nothing more can come, is followed by an event.
/// 4. When the input ends, every question counts as cancelled, the open ones and those to come.
/// 5. A cancellation counts at any moment, also in place of the request.
final class ProgramDialogue: Sendable {
  private struct State {
    var lastID = 0
    /// The open questions.
    var open: [Int: Question] = [:]
    /// Whether no answer can come any more.
    var isOver = false
    var isCancelled = false
    var onCancel: (@Sendable () -> Void)?
    /// The first line, once it is there.
    var request: Request?
    var requestWaiter: CheckedContinuation<Request, Never>?
    var touches = PendingTouches()
  }

  /// What takes an answer, and what ends the wait without one.
  private struct Question: Sendable {
    /// Returns nil where the answer fits, else a sentence that says why not; it never quotes the answer.
    let take: @Sendable (ProgramMessage.Value) -> String?
    let giveUp: @Sendable () -> Void
  }

  /// What became of the first line.
  enum Request: Sendable {
    case read([UInt8])
    case tooLong
    case cancelled
  }

  private let state = Mutex(State())
  private let input: ProgramInput
  private let write: @Sendable (String) -> Void

  /// Creates a dialogue over a descriptor to read from and a way to write a line.
  init(input: Int32, write: @escaping @Sendable (String) -> Void) {
    self.input = ProgramInput(descriptor: input)
    self.write = write
  }

  /// Starts to listen; the first line is the request where one is expected.
  func start(expectsRequest: Bool) {
    input.start(expectsRequest: expectsRequest) { [self] piece in
      switch piece {
      case .request(let line): take(request: line)
      case .line(let line?): take(line)
      case .line(nil):
        tell(.answerRefused(nil, reason: "The line is longer than \(ProgramInput.lineLimit) bytes."))
      case .end: end()
      }
    }
  }

  /// Stops to listen.
  func finish() { input.finish() }

  /// Says what a cancellation does; it is done at once where one has come already.
  func whenCancelled(_ body: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.onCancel = body
      return state.isCancelled
    }
    if isCancelled { body() }
  }

  /// Writes an event.
  func tell(_ event: ProgramEvent) { state.withLock { write(event, &$0) } }

  /// The first line.
  func request() async -> Request {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let request = state.withLock { state -> Request? in
          if state.request == nil { state.requestWaiter = continuation }
          return state.request
        }
        if let request { continuation.resume(returning: request) }
      }
    } onCancel: {
      settle(.cancelled)
    }
  }

  /// Asks, and waits for an answer that fits.
  ///
  /// - Parameters:
  ///   - event: the event for a question with a number.
  ///   - accept: returns what the answer means, or throws why it does not fit, without quoting it.
  func ask<Answer: Sendable>(
    _ event: (Int) -> ProgramEvent,
    _ accept: @escaping @Sendable (ProgramMessage.Value) throws(AnswerRefusal) -> Answer
  ) async throws(UserCancelled) -> Answer {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let event = event(id)
    let answer: Answer? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let question = Question(
          take: { value in
            do throws(AnswerRefusal) {
              continuation.resume(returning: try accept(value))
              return nil
            } catch {
              return error.reason
            }
          }, giveUp: { continuation.resume(returning: nil) })
        state.withLock { state in
          write(event, &state)
          state.open[id] = question
          // Looked at under the lock: a cancellation either came before it, or finds the question.
          if state.isOver || state.isCancelled || Task.isCancelled { giveUp(id, &state) }
        }
      }
    } onCancel: {
      state.withLock { giveUp(id, &$0) }
    }
    guard let answer else { throw UserCancelled() }
    return answer
  }

  // MARK: What comes in

  private func take(request line: [UInt8]?) {
    guard let line else { return settle(.tooLong) }
    let isCancel = line.withUnsafeBytes { if case .cancel = try? ProgramMessage(parsing: $0) { true } else { false } }
    if isCancel { cancel() } else { settle(.read(line)) }
  }

  private func take(_ line: UnsafeRawBufferPointer) {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return }
    let message: ProgramMessage
    do throws(ProgramMessageError) {
      message = try ProgramMessage(parsing: line)
    } catch {
      return tell(.answerRefused(error.id, reason: error.reason))
    }
    switch message {
    case .cancel: cancel()
    case .answer(let id, let value):
      state.withLock { state in
        guard let question = state.open.removeValue(forKey: id) else {
          return write(.answerRefused(id, reason: "No question with this number is open."), &state)
        }
        guard let objection = question.take(value) else { return }
        state.open[id] = question
        write(.answerRefused(id, reason: objection), &state)
      }
    }
  }

  private func cancel() {
    let onCancel = state.withLock { state in
      state.isCancelled = true
      giveUpAll(&state)
      return state.onCancel
    }
    settle(.cancelled)
    // Outside the lock: it cancels tasks whose handlers come back here.
    onCancel?()
  }

  private func end() {
    state.withLock { state in
      state.isOver = true
      giveUpAll(&state)
    }
    settle(.read([]))
  }

  private func settle(_ request: Request) {
    let waiter = state.withLock { state in
      if state.request == nil { state.request = request }
      defer { state.requestWaiter = nil }
      return state.requestWaiter
    }
    waiter?.resume(returning: request)
  }

  // MARK: Under the lock

  private func write(_ event: ProgramEvent, _ state: inout State) {
    for key in state.touches.ended(by: event) { write(ProgramEvent.touchOver(key).line) }
    write(event.line)
  }

  private func giveUpAll(_ state: inout State) {
    for id in state.open.keys.sorted() { giveUp(id, &state) }
  }

  private func giveUp(_ id: Int, _ state: inout State) {
    guard let question = state.open.removeValue(forKey: id) else { return }
    write(.questionOver(id), &state)
    question.giveUp()
  }
}

/// Why an answer does not fit its question, in a sentence that does not quote it.
struct AnswerRefusal: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
