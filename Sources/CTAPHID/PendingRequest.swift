internal import Timing

/// A request whose answer is awaited: what has been seen of it, how long that is worth waiting, and what it comes to.
struct PendingRequest {
  /// What a report changes for the one who waits.
  enum Verdict: Hashable {
    /// Nothing.
    case nothing
    /// The key is alive: the wait for its next word begins anew.
    case sign
    /// The answer is there.
    case answer([UInt8])
    /// The key heeded our CANCEL.
    case stopped
  }

  let repeatable: Bool
  let reportCount: Int
  let accept: ([UInt8]) -> AnswerRefusal?
  let onKeepAlive: (KeepAlive) -> Void
  /// Whether our CANCEL is on its way.
  var isCancelling = false

  private(set) var machine: HostTransaction
  /// The key's status, once it has sent a keep-alive.
  private(set) var status: KeepAlive?
  /// The ERROR frame that came, if one did.
  private(set) var error: CTAPHIDErrorCode?
  private(set) var refusal: (reason: AnswerRefusal, answer: [UInt8])?
  /// Whether anything was seen that a key sends only after it has taken a request.
  private(set) var wasTaken = false
  /// Whether the key refused the request before it had all of it.
  private(set) var wasCutShort = false
  /// An answer that says that a request failed which changes something; it is believed once the key keeps quiet.
  private(set) var held: [UInt8]?
  /// Whether the key went on working after that answer, which then was another request's.
  private var isBelied = false
  private var hasAnswered = false
  private var trouble: Malformation?

  init(
    machine: HostTransaction, reportCount: Int, repeatable: Bool, accept: @escaping ([UInt8]) -> AnswerRefusal?,
    onKeepAlive: @escaping (KeepAlive) -> Void
  ) {
    self.machine = machine
    self.reportCount = reportCount
    self.repeatable = repeatable
    self.accept = accept
    self.onKeepAlive = onKeepAlive
  }

  mutating func receive(_ report: [UInt8]) -> Verdict {
    switch machine.receive(report) {
    case .foreign, .duplicate: return .nothing
    case .keepAlive(let status):
      if status != self.status { onKeepAlive(status) }
      self.status = status
      wasTaken = true
      trouble = nil
      isBelied = held != nil
      return .sign
    case .progress:
      wasTaken = true
      hasAnswered = true
      return .sign
    case .error(let code):
      error = code
      return .sign
    case .garbled(let malformation):
      trouble = malformation
      // An INIT reply on this channel is the only oddity that says nothing about the request.
      if case .command(.initialise, _) = malformation { return .sign }
      wasTaken = true
      // Parts of an answer after the answer: one of the two is not the request's.
      held = nil
      return .sign
    case .answer(let bytes): return judge(bytes)
    }
  }

  /// Takes a report that comes while the request is not whole; whether it is an ERROR frame, the only one that counts.
  mutating func refused(_ report: [UInt8]) -> Bool {
    // No part of an answer can come now, so nothing of it is kept.
    var reader = machine
    guard case .error(let code) = reader.receive(report) else { return false }
    error = code
    wasCutShort = true
    return true
  }

  private mutating func judge(_ answer: [UInt8]) -> Verdict {
    wasTaken = true
    if machine.command == .cbor, answer == [Self.keepAliveCancelStatus] {
      if isCancelling, !hasAnswered { return .stopped }
      refusal = ("the key says that it was cancelled, and it was not", answer)
      return .sign
    }
    if let reason = accept(answer) {
      hasAnswered = true
      refusal = (reason, answer)
      return .sign
    }
    if !repeatable, saysFailed(answer) {
      held = answer
      isBelied = false
      return .sign
    }
    hasAnswered = true
    return .answer(answer)
  }

  /// Whether an answer says that its request failed, or has to be sent again: a CTAP2 status or a U2F status word.
  private func saysFailed(_ answer: [UInt8]) -> Bool {
    switch machine.command {
    case .cbor: answer.first != 0
    case .msg: !answer.suffix(2).elementsEqual([0x90, 0x00])
    default: false
    }
  }

  /// The answer that the wait may end with when nothing else comes.
  var settled: [UInt8]? { isBelied ? nil : held }

  /// CTAP2_ERR_KEEPALIVE_CANCEL, the answer to a CBOR request that CANCEL ended (CTAP §11.2.9.1.5).
  static let keepAliveCancelStatus: UInt8 = 0x2d

  /// How long to wait for the key's next word.
  func patience(_ tuning: Tuning) -> Duration {
    if held != nil, !isBelied { return tuning.settle }
    if let error, !wasTaken { return error == .channelBusy ? tuning.busyPause : tuning.settle }
    if error != nil || refusal != nil || trouble != nil { return tuning.grace }
    return repeatable ? tuning.repeatAfter : tuning.silence
  }

  /// Whether an ERROR frame shows that the request was not taken.
  var isProvedUntaken: Bool {
    if wasCutShort { return true }
    guard let error, !wasTaken else { return false }
    return error.provesUntaken(reportCount: reportCount)
  }

  /// What the key's silence means, in the light of what came before it.
  func failure(_ tuning: Tuning) -> CTAPHIDError {
    if let error { return .errorFrame(error, mayHaveBeenTaken: !isProvedUntaken) }
    if let refusal { return .answerRefused(refusal.reason, answer: refusal.answer) }
    if let trouble { return .malformed(trouble, mayHaveBeenTaken: true) }
    if let (received, length) = machine.partialAnswer {
      return .malformed(.incomplete(received: received, length: length), mayHaveBeenTaken: true)
    }
    return .silent(after: patience(tuning), mayHaveBeenTaken: true)
  }

  /// What is being waited for.
  var phase: TimeoutPhase {
    switch status {
    case .userPresenceNeeded: .userPresence
    case .processing, .other: .processing
    case nil: error == .channelBusy ? .busy : .answer
    }
  }
}

extension CTAPHIDErrorCode {
  /// Whether a key that answers a request of `reportCount` reports with this code has not begun to carry it out.
  ///
  /// Only a request of several reports can be out of sequence; what the code for "other" means, only the vendor knows.
  func provesUntaken(reportCount: Int) -> Bool {
    switch self {
    case .channelBusy, .invalidLength, .messageTimeout, .invalidChannel: true
    case .invalidCommand, .invalidParameter, .lockRequired: true
    case .invalidSequence: reportCount > 1
    default: false
    }
  }

  /// Whether the same request can fare better when it is sent again on a channel that was brought back.
  var isWorthRepeating: Bool {
    switch self {
    case .channelBusy, .invalidLength, .messageTimeout, .invalidChannel, .invalidSequence: true
    default: false
    }
  }
}
