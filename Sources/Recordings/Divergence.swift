/// Where a replay differs from its recording.
public struct Divergence: Error, Hashable, Sendable, CustomStringConvertible {
  /// The report of the recording that was due, counted from 1 over all keys; nil where no report is concerned.
  public let report: Int?
  /// The line of the recording, from 1; nil where its end was reached.
  public let line: Int?
  /// What the recording has there.
  public let expected: String
  /// What the command did.
  public let found: String

  /// Where it is, what was expected and what was done instead, in one sentence.
  public var description: String {
    let place = [report.map { "report \($0)" }, line.map { "line \($0)" }].compactMap { $0 }.joined(separator: " in ")
    return "At \(place.isEmpty ? "the end of the recording" : place): expected \(expected), and the command \(found)."
  }
}
