internal import CTAPHID
public import Octets
internal import Synchronization
public import Timing

/// Writes down what happens while a command runs, a line at a time and in order.
///
/// Without secrets, each report waits until its message is whole and has been redacted; the lines behind it wait too.
public final class Recorder: Sendable {
  let clock: any MonotonicClock
  private let start: Instant
  private let hasSecrets: Bool
  private let write: @Sendable ([UInt8]) -> Void
  private let state: Mutex<State>

  private struct State {
    /// Lines that wait for one in front of them; the numbers go on from those that were written.
    var lines: [RecordedEvent?] = []
    var written = 0
    /// The reports that are held, with their times.
    var held: [Int: (milliseconds: Int, key: String, direction: ReportDirection)] = [:]
    var redactors: [String: Redactor] = [:]
    /// The number of the next secret that was typed.
    var nextSecret = 0
    var isOver = false
  }

  /// Begins a recording.
  ///
  /// - Parameters:
  ///   - header: what it is of; whether it has secrets decides on the redaction.
  ///   - clock: the time.
  ///   - write: takes the lines, each with its line feed; called from any thread, and by one at a time.
  public init(header: RecordingHeader, clock: any MonotonicClock, write: @escaping @Sendable ([UInt8]) -> Void) {
    self.clock = clock
    start = clock.now
    hasSecrets = header.hasSecrets
    self.write = write
    state = Mutex(State())
    write(RecordingText.line(header) + [UInt8(ascii: "\n")])
  }

  /// Writes an event down that is no report and no secret.
  public func note(_ kind: RecordedEvent.Kind) {
    state.withLock { state in
      state.lines.append(RecordedEvent(milliseconds: milliseconds, kind: kind))
      drain(&state)
    }
  }

  /// Writes down that a secret was read; the secret itself only in a recording with secrets.
  public func noteSecret(_ what: String, _ secret: SecretBytes) {
    note(.secret(what: what, content: hasSecrets ? secret.exposed() : nil))
  }

  /// What was answered to a question, before it is redacted.
  public enum Answer: Sendable {
    /// A text.
    case text(String)
    /// A secret.
    case secret(SecretBytes)
    /// That there is no answer.
    case nothing
    /// That the command is to be cancelled.
    case cancelled
  }

  /// The secrets that were typed, so that equal ones get the same number; whoever asks keeps them only as long as it asks.
  public final class TypedSecrets: Sendable {
    fileprivate let all = Mutex<[(secret: SecretBytes, number: Int)]>([])

    /// Begins without any.
    public init() {}
  }

  /// Writes down what was answered to a question; a secret itself only in a recording with secrets.
  public func noteAnswer(_ question: String, _ answer: Answer, among typed: TypedSecrets) {
    let recorded: RecordedAnswer =
      switch answer {
      case .text(let text): .text(Array(text.utf8))
      case .secret(let secret): .secret(number: number(of: secret, typed), content: hasSecrets ? secret.exposed() : nil)
      case .nothing: .nothing
      case .cancelled: .cancelled
      }
    note(.answer(question: question, recorded))
  }

  /// The same number for equal secrets, from 0.
  private func number(of secret: SecretBytes, _ typed: TypedSecrets) -> Int {
    typed.all.withLock { all in
      if let known = all.first(where: { ConstantTime.equal($0.secret, secret) }) { return known.number }
      let number = state.withLock { state in
        defer { state.nextSecret += 1 }
        return state.nextSecret
      }
      all.append((secret, number))
      return number
    }
  }

  /// Writes down what was drawn in secret, in a recording with secrets alone.
  func notePrivateDraw(_ key: String, _ secret: SecretBytes) {
    if hasSecrets { note(.draw(key: key, bytes: secret.exposed(), isPrivate: true)) }
  }

  func note(_ report: [UInt8], _ direction: ReportDirection, key: String) {
    guard !hasSecrets else { return note(.report(key: key, direction, RecordedReport(report))) }
    state.withLock { state in
      guard !state.isOver else { return }
      let ticket = state.written + state.lines.count
      state.lines.append(nil)
      state.held[ticket] = (milliseconds, key, direction)
      let decisions = state.redactors[key, default: Redactor()].take(report, direction, ticket: ticket)
      settle(decisions, &state)
      drain(&state)
    }
  }

  /// A key's next message begins with its first report, whatever was held before.
  func noteEnd(_ kind: RecordedEvent.Kind, key: String) {
    state.withLock { state in
      if var redactor = state.redactors.removeValue(forKey: key) { settle(redactor.flush(), &state) }
    }
    note(kind)
  }

  /// Writes down how the command ended, and everything that was held; nothing is written after that.
  ///
  /// - Parameter status: the exit status, or nil where the command is cut off.
  public func finish(status: Int?) {
    state.withLock { state in
      for key in state.redactors.keys.sorted() {
        if var redactor = state.redactors.removeValue(forKey: key) { settle(redactor.flush(), &state) }
      }
      if let status { state.lines.append(RecordedEvent(milliseconds: milliseconds, kind: .ended(status: status))) }
      drain(&state)
      state.isOver = true
    }
  }

  private func settle(_ decisions: [Redactor.Decision], _ state: inout State) {
    for decision in decisions {
      guard let held = state.held.removeValue(forKey: decision.ticket) else { continue }
      let index = decision.ticket - state.written
      guard state.lines.indices.contains(index) else { continue }
      state.lines[index] = RecordedEvent(
        milliseconds: held.milliseconds, kind: .report(key: held.key, held.direction, decision.report))
    }
  }

  private func drain(_ state: inout State) {
    guard !state.isOver else { return }
    let ready = state.lines.prefix { $0 != nil }.compactMap { $0 }
    for event in ready { write(RecordingText.line(event) + [UInt8(ascii: "\n")]) }
    state.lines.removeFirst(ready.count)
    state.written += ready.count
  }

  private var milliseconds: Int {
    let (seconds, attoseconds) = clock.now.since(start).components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}
