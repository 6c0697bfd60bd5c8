/// Puts the reports of one message together again; what does not fit changes nothing.
public struct MessageAssembler: Hashable, Sendable {
  /// What became of a continuation.
  public enum Step: Hashable, Sendable {
    /// It was the next one, and more are to come.
    case incomplete
    /// It was the last one.
    case complete
    /// It repeats one that was taken already.
    case duplicate
    /// It has the number of one that was taken already, and other bytes.
    case conflict
    /// It is further on than the next one.
    case ahead(expected: UInt8)
  }

  /// The message's command.
  public let command: CTAPHIDCommand
  /// The length of the whole message in bytes, as its first report says.
  public let length: Int
  /// The bytes that have come.
  public private(set) var payload: [UInt8]

  private let initialCapacity: Int
  private var sequence = 0

  /// Begins a message with its first report's fields; nil where the length is over `limit`, which bounds the memory.
  public init?(command: CTAPHIDCommand, length: Int, data: [UInt8], limit: Int) {
    guard (0...max(0, limit)).contains(length) else { return nil }
    self.command = command
    self.length = length
    initialCapacity = data.count
    payload = Array(data.prefix(length))
  }

  /// Whether the whole message is there.
  public var isComplete: Bool { payload.count == length }

  /// Adds a continuation.
  public mutating func add(sequence number: UInt8, data: [UInt8]) -> Step {
    let number = Int(number)
    if number > sequence || (number == sequence && isComplete) {
      return .ahead(expected: UInt8(clamping: sequence))
    }
    if number < sequence {
      let start = initialCapacity + number * data.count
      let end = min(start + data.count, payload.count)
      guard start <= end else { return .conflict }
      return payload[start..<end].elementsEqual(data.prefix(end - start)) ? .duplicate : .conflict
    }
    payload += data.prefix(length - payload.count)
    sequence += 1
    return isComplete ? .complete : .incomplete
  }
}
