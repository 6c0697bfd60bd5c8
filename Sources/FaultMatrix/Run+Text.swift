internal import Octets
internal import Timing
internal import VirtualKey

extension Run {
  /// Everything about a run, for one who looks for a mistake.
  var lines: [String] {
    let start = log.first?.instant ?? Instant(nanoseconds: 0)
    func time(_ moment: Instant) -> String {
      let milliseconds = moment.since(start) / Duration.milliseconds(1)
      return "\(Int(milliseconds)) ms"
    }
    let reports = trace.map { entry in
      (entry.moment, "\(entry.direction == .toKey ? "host ->" : "  key <-") \(Hex.encode(entry.report))")
    }
    let events = log.map { ($0.instant, "      log \($0.event)") }
    let all = (reports + events).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
    return all.map { "\(time($0.element.0))  \($0.element.1)" } + [
      "ended after \(duration) with \(outcome)", "verdict: \(verdict)",
    ]
  }
}
