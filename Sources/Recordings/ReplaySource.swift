internal import CTAPHID
internal import Synchronization
internal import Timing

/// The keys of a recording.
struct ReplaySource: KeySource {
  let player: Player

  func keys() throws(TransportError) -> [KeyDescription] { player.state.withLock { $0.takeList() } }

  func events() -> AsyncStream<KeyEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: KeyEvent.self)
    let number = player.listeners.withLock { listeners in
      let number = (listeners.keys.max() ?? 0) + 1
      listeners[number] = continuation
      return number
    }
    continuation.onTermination = { [player] _ in player.listeners.withLock { $0[number] = nil } }
    return stream
  }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    ReplayTransport(player: player, key: key.id)
  }
}

/// A key of a recording: it sends what the recorded one sent, once the host has sent what came before.
final class ReplayTransport: ReportTransport {
  private let player: Player
  private let key: String
  private var isOpen = false
  /// How often a read has waited for something outside this key's reports.
  private var idleReads = 0

  private(set) var reportSizes = ReportSizes.standard

  /// The real time that a read waits for what other threads do.
  private static let pause = Duration.milliseconds(1)
  /// So many reads may take the clock beyond the moment at which the recorded host did something: its timers may have
  /// begun a little earlier.
  private static let tolerance = 10
  /// After so many pauses nothing is expected of other threads any more.
  private static let stubbornness = 1000

  init(player: Player, key: String) {
    self.player = player
    self.key = key
  }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    let result: Result<ReportSizes, TransportError> = player.state.withLock { state in
      guard let index = state.next(key, { $0.isOpening || $0.isFromHost }), state.events[index].kind.isOpening else {
        state.diverge(at: state.next(key) { _ in true }, expected: "no opening", found: "opened the key \(key)")
        return .failure(Self.ended)
      }
      state.play(index)
      state.advance(to: state.moment(index))
      switch state.events[index].kind {
      case .opened(_, let sizes): return .success(sizes)
      case .notOpened(_, let error): return .failure(error)
      default: return .failure(Self.ended)
      }
    }
    reportSizes = try result.get()
    isOpen = true
  }

  func write(_ report: [UInt8]) throws(TransportError) {
    guard isOpen else { throw .closed }
    idleReads = 0
    let failure: TransportError? = player.state.withLock { state in
      guard let index = state.next(key, { $0.isFromHost || $0 == .closed(key: key) }) else {
        state.diverge(
          at: nil, expected: "nothing more", found: "sent the report \(RecordedReport(report).text)")
        return Self.ended
      }
      switch state.events[index].kind {
      case .failed(_, _, let error):
        state.play(index)
        return error
      case .report(_, _, let recorded) where recorded.matches(report):
        state.play(index)
        return nil
      default:
        state.diverge(
          at: index, expected: state.words(index), found: "sent the report \(RecordedReport(report).text)")
        return Self.ended
      }
    }
    if let failure { throw failure }
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    guard isOpen else { throw .closed }
    switch try step(deadline).get() {
    case .report(let report):
      idleReads = 0
      return report
    case .nothing: return nil
    case .idle:
      idleReads += 1
      SystemClock().sleep(until: SystemClock().now + Self.pause)
      return nil
    }
  }

  private enum Step {
    case report([UInt8])
    /// Nothing came by the deadline.
    case nothing
    /// What comes next is up to other threads.
    case idle
  }

  private func step(_ deadline: Instant) -> Result<Step, TransportError> {
    player.state.withLock { state in
      if state.divergence != nil { return .failure(Self.ended) }
      let host = state.next(key) { $0.isFromHost || $0 == .closed(key: key) }
      guard let index = state.next(key, { $0.isFromKey }), index < host ?? .max else {
        guard let limit = host ?? state.endIndex else {
          state.diverge(at: nil, expected: "no end", found: "waits for a report that is not there")
          return .failure(Self.ended)
        }
        return .success(waitForHost(&state, until: state.moment(limit), deadline))
      }
      guard state.isDue(index) || idleReads > Self.stubbornness else { return .success(.idle) }
      let moment = state.moment(index)
      guard moment <= max(deadline, state.now) else {
        state.advance(to: deadline)
        return .success(.nothing)
      }
      state.advance(to: moment)
      state.play(index)
      switch state.events[index].kind {
      case .report(_, _, let report): return .success(.report(report.bytes))
      case .failed(_, _, let error): return .failure(error)
      default: return .success(.nothing)
      }
    }
  }

  /// The host's turn: its timers run on the replay's clock, which goes on quickly as far as the recorded host got.
  private func waitForHost(_ state: inout PlayerState, until moment: Instant, _ deadline: Instant) -> Step {
    if state.now < moment {
      state.advance(to: min(deadline, moment))
      return .nothing
    }
    // Other threads get some real time to stop this wait; then the clock runs on to the end of it.
    guard idleReads < Self.tolerance || idleReads > Self.stubbornness else { return .idle }
    state.advance(to: deadline)
    return idleReads < Self.tolerance ? .idle : .nothing
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    player.state.withLock { state in
      let end = state.next(key) { $0 == .closed(key: key) }
      while let index = state.next(key, { _ in true }), index < end ?? .max {
        if state.events[index].kind.isFromHost {
          state.diverge(at: index, expected: state.words(index), found: "closed the key")
        }
        state.play(index)
      }
      if let end { state.play(end) }
    }
  }

  /// What the command hears once the replay has left its recording.
  private static let ended = TransportError.failed(
    operation: "replay", code: 0, message: "the replay differs from its recording")
}
