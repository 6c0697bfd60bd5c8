internal import Timing

extension HostChannel {
  /// Sends a request and returns its answer: for CBOR the status byte and what follows it.
  ///
  /// A `repeatable` request (one that changes nothing on the key) is sent again after silence or a broken answer, a few
  /// times. Any other is sent again only where the key's own ERROR frame shows that it was not taken, and nothing else
  /// was heard that says it was. In either case the queue is emptied and the channel brought back with INIT first.
  ///
  /// When the deadline passes or the wait is cancelled, a CBOR request is cancelled on the key. An answer that the key
  /// had made by then is returned like any other, so that nothing it made is lost: look at the wait, not at the
  /// absence of an error, to know whether the person cancelled.
  ///
  /// With `resends` false it is sent once, whatever an ERROR frame shows: for a request where a second one could do harm
  /// and the caller can find out more. Only a frame that comes before the last report has left, as that of a busy key
  /// does, shows for certain that the key did not take the request, and lets it be sent again.
  ///
  /// `accept` says why an answer cannot be the one to this request, or nil where it can: a refused one is skipped.
  public func exchange(
    _ command: CTAPHIDCommand, _ payload: [UInt8], repeatable: Bool, resends: Bool = true, _ wait: Wait,
    accept: @escaping ([UInt8]) -> AnswerRefusal? = { _ in nil }
  ) throws(CTAPHIDError) -> [UInt8] {
    _ = try openChannel()
    guard payload.count <= requestLimit else { throw .messageTooLong(size: payload.count, limit: requestLimit) }
    try checkNotOver(wait, .notSent)
    if isUnsettled {
      var none: PendingRequest?
      _ = try resynchronise(&none, wait)
    }
    var failures: [CTAPHIDError] = []
    while true {
      let channel = try openChannel()
      let reports = Packet.reports(
        channel: channel, command: command, payload: payload, size: transport.reportSizes.output)
      guard let reports else { throw .messageTooLong(size: payload.count, limit: requestLimit) }
      var pending = PendingRequest(
        machine: HostTransaction(channel: channel, command: command, reportSize: transport.reportSizes.input),
        reportCount: reports.count, repeatable: repeatable, accept: accept, onKeepAlive: wait.onKeepAlive)
      if let answer = try attempt(reports, &pending, listens: !resends, wait) { return answer }

      let failure = pending.failure(tuning)
      guard resends || pending.wasCutShort, mayRepeat(repeatable, after: failure, earlier: failures) else {
        guard failure.mayHaveBeenTaken, !repeatable else {
          isUnsettled = failure.mayHaveBeenTaken || !resends
          throw failure
        }
        return try abandon(&pending, failure)
      }
      if !failure.isBusy { failures.append(failure) }
      if let answer = try bringBack(after: failure, &pending, wait) { return answer }
    }
  }

  /// Sends a request once and waits for its answer; nil where the key falls silent without one.
  ///
  /// Where it `listens`, a key that refuses the first report is not sent the rest.
  private func attempt(
    _ reports: [[UInt8]], _ pending: inout PendingRequest, listens: Bool, _ wait: Wait
  ) throws(CTAPHIDError) -> [UInt8]? {
    var none: PendingRequest?
    _ = try drain(&none)
    for (index, report) in reports.enumerated() {
      try write(report, mayHaveBeenTaken: index == reports.count - 1)
      if listens, index == 0, reports.count > 1, try isRefused(&pending, wait) { break }
    }
    var lastSign = clock.now
    while true {
      let now = clock.now
      if wait.cancellation.isCancelled {
        return try abandon(&pending, .cancelled(mayHaveBeenTaken: !pending.isProvedUntaken))
      }
      if now >= wait.deadline {
        return try abandon(&pending, .timeout(pending.phase, mayHaveBeenTaken: !pending.isProvedUntaken))
      }
      let end = lastSign + pending.patience(tuning)
      // A key that went on after an answer and then fell silent may have sent one keep-alive too many.
      if now >= end { return pending.held }
      let limit = min(end, wait.deadline, now + tuning.slice)
      guard let report = try read(deadline: limit, mayHaveBeenTaken: true) else { continue }
      switch pending.receive(report) {
      case .nothing: break
      case .sign, .stopped: lastSign = clock.now
      case .answer(let answer): return answer
      }
    }
  }

  /// Whether the key refuses a request of which it has the first report alone.
  private func isRefused(_ pending: inout PendingRequest, _ wait: Wait) throws(CTAPHIDError) -> Bool {
    let end = min(wait.deadline, clock.now + tuning.slice)
    repeat {
      guard let report = try read(deadline: end, mayHaveBeenTaken: false) else { continue }
      if pending.refused(report) { return true }
    } while clock.now < end
    return false
  }

  /// Ends a request that is not to be waited for any longer: returns an answer that comes after all, else throws `cause`.
  private func abandon(_ pending: inout PendingRequest, _ cause: CTAPHIDError) throws(CTAPHIDError) -> [UInt8] {
    isUnsettled = true
    var end = clock.now + (pending.settled == nil ? tuning.cancelDrain : tuning.settle)
    if pending.machine.command == .cbor {
      let cancel = Packet.initial(channel: pending.machine.channel, command: .cancel, length: 0, data: [])
      try write(cancel.report(size: transport.reportSizes.output), mayHaveBeenTaken: cause.mayHaveBeenTaken)
      pending.isCancelling = true
    }
    var isAtWork = false
    // What the key sends from now on can belie what it said before.
    var taken = cause.mayHaveBeenTaken
    while clock.now < end {
      let limit = min(end, clock.now + tuning.slice)
      guard let report = try read(deadline: limit, mayHaveBeenTaken: taken) else { continue }
      defer { taken = taken || pending.wasTaken }
      switch pending.receive(report) {
      case .nothing: break
      case .sign:
        isAtWork = true
        if pending.settled != nil { end = min(end, clock.now + tuning.settle) }
      case .answer(let answer):
        isUnsettled = false
        return answer
      case .stopped:
        isUnsettled = false
        throw cause.taken(false)
      }
    }
    if let settled = pending.settled {
      isUnsettled = false
      return settled
    }
    if isAtWork, let answer = try abort(&pending, mayHaveBeenTaken: taken) { return answer }
    throw cause.taken(taken)
  }

  /// Brings the channel back before a request is sent again; returns the answer to the first sending where it comes now.
  private func bringBack(
    after failure: CTAPHIDError, _ request: inout PendingRequest, _ wait: Wait
  ) throws(CTAPHIDError) -> [UInt8]? {
    isUnsettled = true
    // Nothing of what comes now can be the answer to a request that never was whole.
    var pending: PendingRequest? = request.wasCutShort ? nil : request
    do throws(CTAPHIDError) {
      if let answer = try resynchronise(&pending, wait) { return answer }
    } catch {
      // The key may have been seen at work after the ERROR frame that said otherwise.
      let taken = failure.mayHaveBeenTaken || pending?.wasTaken == true
      switch error {
      case .timeout(let phase, _): throw .timeout(failure.isBusy ? .busy : phase, mayHaveBeenTaken: taken)
      case .cancelled, .transport: throw error.taken(taken)
      default: throw failure.taken(taken)
      }
    }
    if let pending, !pending.repeatable, pending.wasTaken { throw failure.taken(true) }
    return nil
  }

  private func mayRepeat(_ repeatable: Bool, after failure: CTAPHIDError, earlier: [CTAPHIDError]) -> Bool {
    switch failure {
    case .errorFrame(.channelBusy, mayHaveBeenTaken: false): true
    case .errorFrame(let code, let taken):
      earlier.count < tuning.repeats && (code.isWorthRepeating || earlier.last != failure)
        && (repeatable || (!taken && code.isWorthRepeating))
    case .silent, .malformed: repeatable && earlier.count < tuning.repeats
    // The same answer twice is what the key means, not a stale one.
    case .answerRefused: repeatable && earlier.count < tuning.repeats && earlier.last != failure
    default: false
    }
  }
}

extension CTAPHIDError {
  fileprivate var isBusy: Bool {
    if case .errorFrame(.channelBusy, mayHaveBeenTaken: false) = self { return true }
    return false
  }
}
