internal import CTAPHID
internal import Octets
internal import Timing

/// The place in a recording: what of it has been played.
///
/// What keys do waits for its turn in the order of the recording; what the host does is held against the next of its
/// kind and never waits. So a replay with several keys has the order of its recording wherever that matters.
struct PlayerState {
  let events: [RecordedEvent]
  /// Which events have been played, or need not be.
  private var isDone: [Bool]
  /// The events of each key that have not been played, in order; the host's and the key's.
  private var queues: [String: ArraySlice<Int>] = [:]
  /// The draws of each key, in order.
  private var draws: [String: ArraySlice<Int>] = [:]
  /// What was read and typed, and the lists of keys, in order.
  private var files: [String: ArraySlice<Int>] = [:]
  private var secrets: [String: ArraySlice<Int>] = [:]
  private(set) var answers: ArraySlice<Int> = []
  private var lists: ArraySlice<Int> = []
  /// What comes from outside and has not been played, in order.
  private var outside: ArraySlice<Int> = []
  /// The first event that may not have been played.
  private var head = 0
  /// The number of each report.
  private var numbers: [Int: Int] = [:]
  /// The origin that was decided on.
  private(set) var origin: String?
  /// The exit status at the end; nil where the recording is cut off.
  private(set) var status: Int?
  private(set) var endIndex: Int?

  var divergence: Divergence?
  var now = Instant(nanoseconds: PlayerState.origin)
  /// How often something was played, so that a standstill is noticed.
  private(set) var progress = 0

  /// The replay's clock starts here, so that there is a past.
  private static let origin: UInt64 = 1_000_000_000_000

  init(_ recording: Recording) {
    events = recording.events
    isDone = []
    isDone.reserveCapacity(events.count)
    var reports = 0
    for (index, event) in events.enumerated() {
      // What is taken in an order of its own holds nothing up.
      var isApart = true
      switch event.kind {
      case .file(let what, _): files[what, default: []].append(index)
      case .secret(let what, _): secrets[what, default: []].append(index)
      case .origin(let origin): self.origin = origin
      case .answer: answers.append(index)
      case .keys: lists.append(index)
      case .draw(let key, _, _): draws[key, default: []].append(index)
      case .ended(let status): (self.status, endIndex) = (status, index)
      case .arrived, .removed, .cancelled:
        isApart = false
        outside.append(index)
      default: isApart = false
      }
      isDone.append(isApart)
      if let key = event.kind.key { queues[key, default: []].append(index) }
      if case .report = event.kind {
        reports += 1
        numbers[index] = reports
      }
    }
  }

  /// The moment of an event on the replay's clock.
  func moment(_ index: Int) -> Instant {
    Instant(nanoseconds: Self.origin + UInt64(clamping: events[index].milliseconds) * 1_000_000)
  }

  /// The first event of a key that is left and that `matches`.
  func next(_ key: String, _ matches: (RecordedEvent.Kind) -> Bool) -> Int? {
    queues[key]?.first { !isDone[$0] && matches(events[$0].kind) }
  }

  /// Whether everything before an event has been played, but for interruptions.
  mutating func isDue(_ index: Int) -> Bool {
    while head < isDone.count, isDone[head] || events[head].kind == .cancelled && head < index { head += 1 }
    return head >= index
  }

  /// The first event that is left of those that come from outside: keys that come and go, an interruption.
  var nextFromOutside: Int? { outside.first }

  /// The first event that is left on any key's reports and that `matches`.
  func first(_ matches: (RecordedEvent.Kind) -> Bool) -> Int? {
    queues.keys.compactMap { next($0, matches) }.min()
  }

  mutating func play(_ index: Int) {
    isDone[index] = true
    progress += 1
    if outside.first == index { outside.removeFirst() }
    if let key = events[index].kind.key {
      while let first = queues[key]?.first, isDone[first] { queues[key]?.removeFirst() }
    }
  }

  mutating func advance(to instant: Instant) { now = max(now, instant) }

  mutating func diverge(at index: Int?, expected: String, found: String) {
    guard divergence == nil else { return }
    // The header is line 1.
    divergence = Divergence(
      report: index.flatMap { numbers[$0] }, line: index.map { $0 + 2 }, expected: expected, found: found)
  }

  // MARK: What is taken in order

  mutating func takeFile(_ what: String) -> [UInt8]? {
    guard let index = files[what]?.popFirst(), case .file(_, let content) = events[index].kind else { return nil }
    progress += 1
    return content
  }

  mutating func takeSecret(_ what: String) -> (index: Int, content: [UInt8]?)? {
    guard let index = secrets[what]?.popFirst(), case .secret(_, let content) = events[index].kind else { return nil }
    progress += 1
    return (index, content)
  }

  mutating func takeAnswer() -> (index: Int, question: String, answer: RecordedAnswer)? {
    guard let index = answers.popFirst(), case .answer(let question, let answer) = events[index].kind else {
      return nil
    }
    progress += 1
    advance(to: moment(index))
    return (index, question, answer)
  }

  /// The next list of keys; the last one again where there is no other.
  mutating func takeList() -> [KeyDescription] {
    let index = lists.count > 1 ? lists.popFirst() : lists.first
    guard let index, case .keys(let keys) = events[index].kind else { return [] }
    progress += 1
    return keys
  }

  /// The next draw of a key in public or in secret; nil where the recording has none of that length there.
  mutating func takeDraw(_ key: String, count: Int, isPrivate: Bool) -> [UInt8]? {
    guard let index = draws[key]?.first, case .draw(_, let bytes, isPrivate) = events[index].kind, bytes.count == count
    else { return nil }
    draws[key]?.removeFirst()
    progress += 1
    return bytes
  }

  /// Whether anything is sent to a key after an event and before `end`.
  func isFollowedByRequest(_ index: Int, before end: Int) -> Bool {
    events[index..<max(index, min(end, events.count))].contains {
      if case .report(_, .toKey, _) = $0.kind { true } else { false }
    }
  }
}

extension RecordedEvent.Kind {
  /// The key that an event on a key's reports belongs to; nil for others.
  var key: String? {
    switch self {
    case .opened(let key, _), .notOpened(let key, _), .report(let key, _, _), .failed(let key, _, _), .closed(let key):
      key
    default: nil
    }
  }

  var isOpening: Bool {
    switch self {
    case .opened, .notOpened: true
    default: false
    }
  }

  /// Whether it is something that the host does with an open key.
  var isFromHost: Bool {
    switch self {
    case .report(_, .toKey, _), .failed(_, .toKey, _): true
    default: false
    }
  }

  /// Whether it is something that a read ends with.
  var isFromKey: Bool {
    switch self {
    case .report(_, .fromKey, _), .failed(_, .fromKey, _): true
    default: false
    }
  }
}
