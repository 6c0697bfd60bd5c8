// The words of this layer's errors: clauses that follow "the key cannot be used: " or stand in brackets after a sentence.

extension Malformation: CustomStringConvertible {
  /// What was broken, in words.
  public var description: String {
    switch self {
    case .reportSize(let found, let expected): "a report of \(found) bytes instead of \(expected)"
    case .tooLong(let length, let limit): "a message of \(length) bytes where at most \(limit) fit"
    case .tooShort(let length, let minimum): "a message of \(length) bytes where at least \(minimum) are needed"
    case .command(let found, let expected): "a message for \(found) instead of \(expected)"
    case .interrupted: "a new message in the middle of another"
    case .sequence(let found, let expected): "report \(found) of a message instead of report \(expected)"
    case .conflict(let sequence): "two different reports with the number \(sequence)"
    case .stray(let sequence): "report \(sequence) of a message that has no beginning"
    case .incomplete(let received, let length): "only \(received) of a message's \(length) bytes"
    case .channel(let channel): "an offer of the channel \(channel), which cannot be used"
    }
  }
}

extension TransportError: CustomStringConvertible {
  /// What went wrong, in words.
  public var description: String {
    switch self {
    case .notFound(let name): "there is no key \(name)"
    case .permissionDenied(let name): "this user may not open \(name)"
    case .busy(let name): "another program is using \(name)"
    case .unplugged: "the key was pulled out"
    case .cancelled: "the wait was cancelled"
    case .closed: "the key is not open"
    case .unsuitable(let reason): reason
    case .failed(let operation, let code, let message): "\(operation) failed: \(message) (\(code))"
    }
  }
}
