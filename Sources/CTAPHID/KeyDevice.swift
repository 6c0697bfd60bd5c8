public import Octets
public import Timing

/// The key's side of CTAPHID, without I/O: reports and moments in, events and reports out (CTAP §11.2).
///
/// INIT, PING, LOCK, WINK and every error are answered here; CBOR, MSG and vendor messages are events, to be answered with
/// `respond`. The owner hands in each report with `receive`, calls `tick` at `nextDeadline`, and after each of these
/// takes the outgoing reports with `nextReport` until there are none.
public struct KeyDevice: Sendable {
  /// Something that the owner has to act on.
  public enum Event: Hashable, Sendable {
    /// A whole request came; the key is busy with it until `respond`, `refuse` or `.aborted`.
    case message(channel: ChannelID, command: CTAPHIDCommand, payload: [UInt8])
    /// The host wants the running request to end: it is still to be answered, with status 0x2D or its result.
    case cancel(channel: ChannelID)
    /// The host began anew with INIT: the running request is to be dropped, and an answer to it goes nowhere.
    case aborted(channel: ChannelID)
    /// The key is to show itself; the answer has been queued.
    case wink
  }

  /// The device's fixed properties.
  public struct Configuration: Hashable, Sendable {
    /// The sizes of the reports; `output` is what the host sends.
    public var reportSizes: ReportSizes = .standard
    /// What INIT replies say that the key can do; decides which commands it knows.
    public var capabilities: DeviceCapabilities = [.wink, .cbor]
    /// The version in INIT replies.
    public var version = DeviceVersion(major: 1, minor: 0, build: 0)
    /// The protocol version in INIT replies.
    public var protocolVersion: UInt8 = 2
    /// How many channels are remembered; beyond it the one that was used longest ago is forgotten.
    public var channelLimit = 32
    /// How long the key waits for the next report of a request.
    public var packetTimeout: Duration = .milliseconds(500)
    /// How often a keep-alive is sent while a CBOR request runs, or nil for never.
    public var keepAliveInterval: Duration? = .milliseconds(100)
    /// Whether INIT from another channel is answered while a request runs, rather than refused as busy.
    public var answersInitWhileBusy = true
    /// Whether vendor commands (40 to 7F) are handed to the owner, rather than refused.
    public var takesVendorCommands = false

    /// Creates the properties of an ordinary key.
    public init() {}
  }

  enum State: Hashable, Sendable {
    case idle
    case receiving(ChannelID, MessageAssembler, until: Instant)
    case working(ChannelID, CTAPHIDCommand, status: KeepAlive, keepAliveAt: Instant?)
  }

  struct Outgoing: Hashable, Sendable {
    var channel: ChannelID
    var report: [UInt8]
  }

  struct Lock: Hashable, Sendable {
    var channel: ChannelID
    var until: Instant
  }

  /// The device's fixed properties.
  public let configuration: Configuration

  let random: any RandomSource
  var state = State.idle
  var lock: Lock?
  /// The channels handed out, the one used last at the end.
  var channels: [ChannelID] = []
  var outgoing: [Outgoing] = []
  private var outgoingStart = 0
  private var lastChannel: UInt32

  /// Creates a device that has just been plugged in.
  public init(configuration: Configuration = Configuration(), random: any RandomSource) {
    self.configuration = configuration
    self.random = random
    lastChannel = Self.firstChannel(random)
  }

  /// The largest answer in bytes.
  public var answerLimit: Int { Packet.messageLimit(reportSize: configuration.reportSizes.input) }

  /// The channel whose request is coming in or being worked on.
  public var activeChannel: ChannelID? {
    switch state {
    case .idle: nil
    case .receiving(let channel, _, _), .working(let channel, _, _, _): channel
    }
  }

  /// When `tick` has something to do next, or nil for never.
  public var nextDeadline: Instant? {
    switch state {
    case .idle: nil
    case .receiving(_, _, let until): until
    case .working(_, _, _, let keepAliveAt): keepAliveAt
    }
  }

  /// Takes the next report for the host, or nil where there is none.
  public mutating func nextReport() -> [UInt8]? {
    guard outgoingStart < outgoing.count else { return nil }
    defer {
      outgoingStart += 1
      if outgoingStart == outgoing.count {
        outgoing.removeAll(keepingCapacity: true)
        outgoingStart = 0
      }
    }
    return outgoing[outgoingStart].report
  }

  /// Answers the running request; false where that channel's request is no longer running or the answer is too long.
  @discardableResult
  public mutating func respond(_ channel: ChannelID, _ command: CTAPHIDCommand, _ payload: [UInt8]) -> Bool {
    guard case .working(channel, _, _, _) = state else { return false }
    state = .idle
    guard send(channel, command, payload) else {
      sendError(.other, to: channel)
      return false
    }
    return true
  }

  /// Answers the running request with an ERROR frame; false where that channel's request is no longer running.
  @discardableResult
  public mutating func refuse(_ channel: ChannelID, _ code: CTAPHIDErrorCode) -> Bool {
    respond(channel, .error, [code.rawValue])
  }

  /// Says what the owner is doing: a change is sent at once, and repeated until the request is answered.
  public mutating func keepAlive(_ status: KeepAlive, now: Instant) {
    guard case .working(let channel, let command, let last, _) = state, last != status else { return }
    sendKeepAlive(channel, command, status, now: now)
  }

  /// Does what has fallen due: sends a keep-alive, or gives up a request whose rest did not come.
  public mutating func tick(now: Instant) {
    switch state {
    case .receiving(let channel, _, let until) where now >= until:
      state = .idle
      sendError(.messageTimeout, to: channel)
    case .working(let channel, let command, let status, let keepAliveAt?) where now >= keepAliveAt:
      sendKeepAlive(channel, command, status, now: now)
    default: break
    }
  }

  /// Forgets everything, as a key does that loses its power.
  public mutating func powerCycle() {
    state = .idle
    lock = nil
    channels = []
    outgoing = []
    outgoingStart = 0
    lastChannel = Self.firstChannel(random)
  }

  // MARK: Within the device

  mutating func sendKeepAlive(_ channel: ChannelID, _ command: CTAPHIDCommand, _ status: KeepAlive, now: Instant) {
    guard command == .cbor, let interval = configuration.keepAliveInterval else { return }
    state = .working(channel, command, status: status, keepAliveAt: now + interval)
    send(channel, .keepAlive, [status.status])
  }

  mutating func sendError(_ code: CTAPHIDErrorCode, to channel: ChannelID) {
    send(channel, .error, [code.rawValue])
  }

  @discardableResult
  mutating func send(_ channel: ChannelID, _ command: CTAPHIDCommand, _ payload: [UInt8]) -> Bool {
    let size = configuration.reportSizes.input
    guard let reports = Packet.reports(channel: channel, command: command, payload: payload, size: size) else {
      return false
    }
    outgoing += reports.map { Outgoing(channel: channel, report: $0) }
    return true
  }

  /// Takes back what was queued for a channel that begins anew.
  mutating func discardOutgoing(_ channel: ChannelID) {
    outgoing.removeFirst(outgoingStart)
    outgoingStart = 0
    outgoing.removeAll { $0.channel == channel }
  }

  /// A channel that is not in use, remembered in place of the one used longest ago where there are too many.
  mutating func allocateChannel() -> ChannelID {
    repeat { lastChannel &+= 1 } while !isFree(ChannelID(rawValue: lastChannel))
    if channels.count >= max(1, configuration.channelLimit),
      let index = channels.firstIndex(where: { $0 != activeChannel && $0 != lock?.channel })
    {
      channels.remove(at: index)
    }
    let channel = ChannelID(rawValue: lastChannel)
    channels.append(channel)
    return channel
  }

  private func isFree(_ channel: ChannelID) -> Bool { channel.isAllocatable && !channels.contains(channel) }

  private static func firstChannel(_ random: any RandomSource) -> UInt32 {
    random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
