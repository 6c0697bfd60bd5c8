public import CTAPMessages

/// What a virtual key does wrong on purpose; empty for one that works.
public struct FaultPlan: Hashable, Sendable {
  /// The faults, each on its own.
  public var faults: [Fault]

  /// Creates a plan.
  public init(_ faults: [Fault] = []) {
    self.faults = faults
  }

  /// What spoils the report with a number from the key.
  func damage(toReport number: Int) -> Fault.Damage? {
    for case .report(number, let damage) in faults { return damage }
    return nil
  }

  /// The first fault on the answers to a command that is not yet used up, counting its uses.
  mutating func next(for command: UInt8) -> Fault.Answer? {
    for index in faults.indices {
      guard case .answer(command, let answer, let times) = faults[index] else { continue }
      if times <= 1 {
        faults.remove(at: index)
      } else if times < .max {
        faults[index] = .answer(command, answer, times: times - 1)
      }
      return answer
    }
    return nil
  }
}

/// One thing that goes wrong.
public enum Fault: Hashable, Sendable {
  /// The next `times` answers to a command (its byte), in place of the right ones; `Int.max` for all of them.
  case answer(UInt8, Answer, times: Int = .max)
  /// The report with this number from the key, counted from 0 since it was made, is spoilt.
  case report(Int, Damage)
  /// The key is pulled out when it has sent this many reports.
  case unplugAfterSending(Int)
  /// The key is pulled out when it has received this many reports.
  case unplugAfterReceiving(Int)
  /// CANCEL is not heard.
  case ignoresCancel

  /// What comes instead of the right answer.
  public enum Answer: Hashable, Sendable {
    /// The status alone; the command is not carried out.
    case status(CTAPStatus)
    /// These bytes, status first; the command is not carried out.
    case bytes([UInt8])
    /// Nothing, not even a keep-alive; the command is not carried out.
    case silence
    /// The right answer, with keep-alives, this much later; the command is carried out at once.
    case late(Duration)
    /// Nothing, although the command is carried out.
    case lost
  }

  /// What happens to a report.
  public enum Damage: Hashable, Sendable {
    /// It is not sent.
    case dropped
    /// It is sent twice.
    case duplicated
    /// This bit, counted from the first byte's lowest, is the other way round; outside the report nothing happens.
    case flipped(bit: Int)
  }
}
