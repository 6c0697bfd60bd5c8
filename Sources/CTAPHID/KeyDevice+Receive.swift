public import Timing

// Which report is taken, and what is answered to the others (CTAP §11.2.5): an active transaction shuts other channels out,
// an initial report in the middle of a message ends it, and a continuation that nobody waits for is ignored.
extension KeyDevice {
  /// Takes one report from the host; one of the wrong size is ignored.
  public mutating func receive(_ report: [UInt8], now: Instant) -> [Event] {
    tick(now: now)
    if let lock, now >= lock.until { self.lock = nil }
    guard report.count == configuration.reportSizes.output, let packet = Packet(report: report) else { return [] }
    switch packet {
    case .continuation(let channel, let sequence, let data):
      return receiveContinuation(channel, sequence, data, now: now)
    case .initial(let channel, let command, let length, let data):
      return receiveInitial(channel, command, length, data, now: now)
    }
  }

  private mutating func receiveContinuation(
    _ channel: ChannelID, _ sequence: UInt8, _ data: [UInt8], now: Instant
  ) -> [Event] {
    guard case .receiving(channel, var message, _) = state else { return [] }
    switch message.add(sequence: sequence, data: data) {
    case .incomplete:
      state = .receiving(channel, message, until: now + configuration.packetTimeout)
      return []
    case .complete:
      return take(message, from: channel, now: now)
    case .duplicate, .conflict, .ahead:
      state = .idle
      sendError(.invalidSequence, to: channel)
      return []
    }
  }

  private mutating func receiveInitial(
    _ channel: ChannelID, _ command: CTAPHIDCommand, _ length: Int, _ data: [UInt8], now: Instant
  ) -> [Event] {
    if channel == .reserved || (channel == .broadcast && command != .initialise) {
      sendError(.invalidChannel, to: channel)
      return []
    }
    if command == .cancel { return receiveCancel(channel) }
    if isShutOut(channel, command) {
      sendError(.channelBusy, to: channel)
      return []
    }
    guard channel == .broadcast || channels.contains(channel) else {
      sendError(.invalidChannel, to: channel)
      return []
    }
    if activeChannel == channel, command != .initialise {
      if case .receiving = state {
        state = .idle
        sendError(.invalidSequence, to: channel)
      } else {
        sendError(.channelBusy, to: channel)
      }
      return []
    }
    if let code = objection(to: command, length: length) {
      sendError(code, to: channel)
      return []
    }
    return begin(channel, command, length, data, now: now)
  }

  private mutating func receiveCancel(_ channel: ChannelID) -> [Event] {
    guard case .working(channel, .cbor, _, _) = state else { return [] }
    return [.cancel(channel: channel)]
  }

  private func isShutOut(_ channel: ChannelID, _ command: CTAPHIDCommand) -> Bool {
    if let lock, lock.channel != channel { return true }
    guard let activeChannel, activeChannel != channel else { return false }
    // An INIT of several reports would need a second place to put it together in.
    let fits = Packet.initialHeader + InitReply.nonceLength <= configuration.reportSizes.output
    return command != .initialise || !configuration.answersInitWhileBusy || !fits
  }

  /// Why a request is refused before its rest has come, or nil where it is not.
  private func objection(to command: CTAPHIDCommand, length: Int) -> CTAPHIDErrorCode? {
    let capabilities = configuration.capabilities
    let known =
      switch command {
      case .initialise, .ping, .lock: true
      case .wink: capabilities.contains(.wink)
      case .cbor: capabilities.contains(.cbor)
      case .msg: !capabilities.contains(.noMSG)
      case .keepAlive, .error: false
      default: command.isVendor && configuration.takesVendorCommands
      }
    guard known else { return .invalidCommand }
    let fits =
      switch command {
      case .initialise: length == InitReply.nonceLength
      case .lock: length == 1
      case .wink: length == 0
      case .cbor, .msg: length > 0
      default: true
      }
    return fits && length <= Packet.messageLimit(reportSize: configuration.reportSizes.output) ? nil : .invalidLength
  }

  private mutating func begin(
    _ channel: ChannelID, _ command: CTAPHIDCommand, _ length: Int, _ data: [UInt8], now: Instant
  ) -> [Event] {
    let limit = Packet.messageLimit(reportSize: configuration.reportSizes.output)
    guard let message = MessageAssembler(command: command, length: length, data: data, limit: limit) else { return [] }
    var events: [Event] = []
    if command == .initialise, activeChannel == channel {
      if case .working = state { events.append(.aborted(channel: channel)) }
      state = .idle
    }
    if message.isComplete { return events + take(message, from: channel, now: now) }
    state = .receiving(channel, message, until: now + configuration.packetTimeout)
    return events
  }

  private mutating func take(_ message: MessageAssembler, from channel: ChannelID, now: Instant) -> [Event] {
    if message.command != .initialise || activeChannel == channel { state = .idle }
    if let index = channels.firstIndex(of: channel) {
      channels.remove(at: index)
      channels.append(channel)
    }
    switch message.command {
    case .initialise: takeInit(message.payload, from: channel)
    case .ping: send(channel, .ping, message.payload)
    case .lock: takeLock(message.payload, from: channel, now: now)
    case .wink:
      send(channel, .wink, [])
      return [.wink]
    default:
      let keepAliveAt = message.command == .cbor ? configuration.keepAliveInterval.map { now + $0 } : nil
      state = .working(channel, message.command, status: .processing, keepAliveAt: keepAliveAt)
      return [.message(channel: channel, command: message.command, payload: message.payload)]
    }
    return []
  }

  private mutating func takeInit(_ nonce: [UInt8], from channel: ChannelID) {
    if channel != .broadcast { discardOutgoing(channel) }
    let reply = InitReply(
      nonce: nonce, channel: channel == .broadcast ? allocateChannel() : channel,
      protocolVersion: configuration.protocolVersion, version: configuration.version,
      capabilities: configuration.capabilities)
    send(channel, .initialise, reply.encoded())
  }

  private mutating func takeLock(_ payload: [UInt8], from channel: ChannelID, now: Instant) {
    let seconds = payload.first ?? 0
    guard seconds <= 10 else {
      sendError(.invalidParameter, to: channel)
      return
    }
    lock = seconds == 0 ? nil : Lock(channel: channel, until: now + .seconds(Int64(seconds)))
    send(channel, .lock, [])
  }
}
