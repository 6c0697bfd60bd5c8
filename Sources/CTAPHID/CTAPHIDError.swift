/// What can go wrong between a request and its answer; each case says whether the key may have carried the request out.
public enum CTAPHIDError: Error, Hashable, Sendable {
  /// The reports could not be read or written.
  case transport(TransportError, mayHaveBeenTaken: Bool)
  /// The key answered with an ERROR frame.
  case errorFrame(CTAPHIDErrorCode, mayHaveBeenTaken: Bool)
  /// The deadline passed.
  case timeout(TimeoutPhase, mayHaveBeenTaken: Bool)
  /// The wait was cancelled, and no answer but the key's word that it stopped, or none at all, came back.
  case cancelled(mayHaveBeenTaken: Bool)
  /// The key said nothing for this long, not even a keep-alive.
  case silent(after: Duration, mayHaveBeenTaken: Bool)
  /// What the key sent was broken.
  case malformed(Malformation, mayHaveBeenTaken: Bool)
  /// An answer came whole, but the caller judged that it does not fit the request; no other came.
  case answerRefused(AnswerRefusal, answer: [UInt8])
  /// The request does not fit into the key's reports; nothing was sent.
  case messageTooLong(size: Int, limit: Int)
  /// The channel was not opened, or was closed.
  case notOpen

  /// Whether the key may have carried the request out although no answer is there.
  public var mayHaveBeenTaken: Bool {
    switch self {
    case .transport(_, let taken), .errorFrame(_, let taken), .timeout(_, let taken), .cancelled(let taken),
      .silent(_, let taken), .malformed(_, let taken):
      taken
    case .answerRefused: true
    case .messageTooLong, .notOpen: false
    }
  }

  /// The same error with another judgement on whether the request was carried out, where it has one.
  func taken(_ taken: Bool) -> CTAPHIDError {
    switch self {
    case .transport(let error, _): .transport(error, mayHaveBeenTaken: taken)
    case .errorFrame(let code, _): .errorFrame(code, mayHaveBeenTaken: taken)
    case .timeout(let phase, _): .timeout(phase, mayHaveBeenTaken: taken)
    case .cancelled: .cancelled(mayHaveBeenTaken: taken)
    case .silent(let duration, _): .silent(after: duration, mayHaveBeenTaken: taken)
    case .malformed(let what, _): .malformed(what, mayHaveBeenTaken: taken)
    case .answerRefused, .messageTooLong, .notOpen: self
    }
  }
}

/// What was being waited for when a deadline passed.
public enum TimeoutPhase: Hashable, Sendable {
  /// Nothing: the deadline had passed before anything was sent.
  case notSent
  /// The key's answer to INIT.
  case initialising
  /// The end of another program's work on the key.
  case busy
  /// Any word from the key.
  case answer
  /// The end of the key's computing.
  case processing
  /// A touch.
  case userPresence
}

/// How a report or a message from the key was broken.
public enum Malformation: Hashable, Sendable {
  /// A report had the wrong size in bytes.
  case reportSize(found: Int, expected: Int)
  /// A message said that it is longer than the reports can carry.
  case tooLong(length: Int, limit: Int)
  /// A message was shorter than any answer to the command can be.
  case tooShort(length: Int, minimum: Int)
  /// A message answered another command than the one sent.
  case command(found: CTAPHIDCommand, expected: CTAPHIDCommand)
  /// A new message began before the one before it was whole.
  case interrupted
  /// A report of a message was missing.
  case sequence(found: UInt8, expected: UInt8)
  /// Two different reports had the same place in a message.
  case conflict(sequence: UInt8)
  /// A continuation came without a message that it could continue.
  case stray(sequence: UInt8)
  /// A message stopped before its end.
  case incomplete(received: Int, length: Int)
  /// An INIT reply handed out a channel that cannot be used.
  case channel(ChannelID)
}
