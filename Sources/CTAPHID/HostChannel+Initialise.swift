internal import Octets
internal import Timing

extension HostChannel {
  /// How an INIT ended that was not interrupted.
  private enum InitOutcome {
    case reply(InitReply)
    case answer([UInt8])
    case failed(CTAPHIDError)
  }

  /// Empties the queue and brings the channel to a known state with INIT, or asks for one where there is none.
  ///
  /// INIT goes out on our own channel first, which ends what the key still does for it, and on the broadcast channel
  /// where the key does not know ours. An answer to `pending` that comes meanwhile is returned.
  func resynchronise(_ pending: inout PendingRequest?, _ wait: Wait) throws(CTAPHIDError) -> [UInt8]? {
    if let answer = try drain(&pending) { return answer }
    var target = reply?.channel ?? .broadcast
    var nonces: [[UInt8]] = []
    var tries = 0
    var phase = TimeoutPhase.initialising
    while true {
      try checkNotOver(wait, phase)
      phase = .initialising
      nonces = nonces.suffix(7) + [random.bytes(InitReply.nonceLength)]
      try writeInit(on: target, nonce: nonces.last ?? [])
      switch try awaitInit(on: target, nonces, &pending, wait) {
      case .reply(let reply):
        self.reply = reply
        isUnsettled = false
        return nil
      case .answer(let answer): return answer
      case .failed(.errorFrame(.channelBusy, _)): phase = .busy
      case .failed(let failure):
        tries += 1
        let isUnknown = failure == .errorFrame(.invalidChannel, mayHaveBeenTaken: false)
        guard tries >= tuning.initTries || (isUnknown && target != .broadcast) else { break }
        if target == .broadcast { throw failure }
        target = .broadcast
        tries = 0
      }
    }
  }

  /// Sends one INIT to end what CANCEL did not, and waits for it a moment; returns an answer to `request` that comes.
  func abort(_ request: inout PendingRequest, mayHaveBeenTaken: Bool) throws(CTAPHIDError) -> [UInt8]? {
    var pending: PendingRequest? = request
    let nonce = random.bytes(InitReply.nonceLength)
    let wait = Wait(deadline: clock.now + tuning.abortDrain)
    do throws(CTAPHIDError) {
      try writeInit(on: request.machine.channel, nonce: nonce)
      switch try awaitInit(on: request.machine.channel, [nonce], &pending, wait) {
      case .reply(let reply):
        self.reply = reply
        isUnsettled = false
      case .answer(let answer): return answer
      case .failed: break
      }
    } catch .timeout {
      return nil
    } catch {
      throw error.taken(mayHaveBeenTaken)
    }
    return nil
  }

  private func writeInit(on channel: ChannelID, nonce: [UInt8]) throws(CTAPHIDError) {
    let size = transport.reportSizes.output
    let reports = Packet.reports(channel: channel, command: .initialise, payload: nonce, size: size) ?? []
    for report in reports { try write(report, mayHaveBeenTaken: false) }
  }

  private func awaitInit(
    on target: ChannelID, _ nonces: [[UInt8]], _ pending: inout PendingRequest?, _ wait: Wait
  ) throws(CTAPHIDError) -> InitOutcome {
    var machine = HostTransaction(channel: target, command: .initialise, reportSize: transport.reportSizes.input)
    var end = clock.now + tuning.initReply
    var failure = CTAPHIDError.silent(after: tuning.initReply, mayHaveBeenTaken: false)
    while true {
      let now = clock.now
      let isBusy = failure == .errorFrame(.channelBusy, mayHaveBeenTaken: false)
      try checkNotOver(wait, isBusy ? .busy : .initialising)
      if now >= end { return .failed(failure) }
      let limit = min(end, wait.deadline, now + tuning.slice)
      guard let report = try read(deadline: limit, mayHaveBeenTaken: false) else { continue }
      let event = machine.receive(report)
      if event.isOfAnotherMessage, case .answer(let answer)? = pending?.receive(report) { return .answer(answer) }
      switch event {
      case .answer(let bytes):
        guard let reply = InitReply(bytes), nonces.contains(reply.nonce) else { continue }
        if reply.channel.isAllocatable, target == .broadcast || reply.channel == target { return .reply(reply) }
        failure = .malformed(.channel(reply.channel), mayHaveBeenTaken: false)
      case .error(let code):
        failure = .errorFrame(code, mayHaveBeenTaken: false)
        end = min(end, clock.now + (code == .channelBusy ? tuning.busyPause : tuning.settle))
      case .garbled(let malformation) where !event.isOfAnotherMessage:
        failure = .malformed(malformation, mayHaveBeenTaken: false)
      case .foreign, .duplicate, .keepAlive, .progress, .garbled: break
      }
    }
  }

  /// Throws away the reports that are in the queue, a bounded number; returns an answer to `pending` among them.
  func drain(_ pending: inout PendingRequest?) throws(CTAPHIDError) -> [UInt8]? {
    for _ in 0..<max(0, tuning.drainLimit) {
      guard let report = try read(deadline: clock.now, mayHaveBeenTaken: false) else { return nil }
      if case .answer(let answer)? = pending?.receive(report) { return answer }
    }
    return nil
  }

  func checkNotOver(_ wait: Wait, _ phase: TimeoutPhase) throws(CTAPHIDError) {
    if wait.cancellation.isCancelled { throw .cancelled(mayHaveBeenTaken: false) }
    if clock.now >= wait.deadline { throw .timeout(phase, mayHaveBeenTaken: false) }
  }

  func read(deadline: Instant, mayHaveBeenTaken: Bool) throws(CTAPHIDError) -> [UInt8]? {
    do {
      return try transport.read(deadline: deadline)
    } catch {
      throw .transport(error, mayHaveBeenTaken: mayHaveBeenTaken)
    }
  }

  func write(_ report: [UInt8], mayHaveBeenTaken: Bool) throws(CTAPHIDError) {
    do {
      try transport.write(report)
    } catch {
      throw .transport(error, mayHaveBeenTaken: mayHaveBeenTaken)
    }
  }
}

extension HostTransaction.Event {
  /// Whether a report that is not the INIT reply's may be another message's, on this channel or another.
  fileprivate var isOfAnotherMessage: Bool {
    switch self {
    case .foreign, .keepAlive, .garbled(.command), .garbled(.stray): true
    default: false
    }
  }
}
