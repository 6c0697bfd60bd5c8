/// Why a text is not a recording.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// What is wrong with it, in words that follow "line N ".
  public let problem: String

  /// The line and what is wrong with it.
  public var description: String { "line \(line) \(problem)" }
}
