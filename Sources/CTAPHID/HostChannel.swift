public import Octets
public import Timing

/// A channel to one key: sends requests and returns answers, whatever else goes on on the key's node.
///
/// Lives on the key's own thread and is not `Sendable`. Every operation blocks, in slices of at most `Tuning.slice`, and
/// returns by its deadline, or by `Tuning.longestOvertime` after it where a request has to be cancelled on the key.
public final class HostChannel {
  let transport: any ReportTransport
  let clock: any MonotonicClock
  let random: any RandomSource
  let tuning: Tuning

  var reply: InitReply?
  /// Whether the key may still be busy with something of ours, so that the channel has to be brought back first.
  var isUnsettled = false
  private var isOpen = false

  /// Creates a channel over a transport that is not open yet.
  public init(
    transport: any ReportTransport, clock: any MonotonicClock, random: any RandomSource, tuning: Tuning = .standard
  ) {
    self.transport = transport
    self.clock = clock
    self.random = random
    self.tuning = tuning
  }

  /// What the key says that it can do; empty before `open`.
  public var capabilities: DeviceCapabilities { reply?.capabilities ?? [] }

  /// The key's version, or nil before `open`.
  public var deviceVersion: DeviceVersion? { reply?.version }

  /// The key's CTAPHID protocol version, or nil before `open`; 2 on every key so far.
  public var protocolVersion: UInt8? { reply?.protocolVersion }

  /// The channel that the key handed out, or nil before `open`.
  public var channel: ChannelID? { reply?.channel }

  /// The largest request in bytes; 7609 with reports of 64 bytes.
  public var requestLimit: Int { Packet.messageLimit(reportSize: transport.reportSizes.output) }

  /// Opens the transport, throws away what is in its queue, and asks the key for a channel.
  public func open(_ wait: Wait) throws(CTAPHIDError) {
    do {
      try transport.open(deadline: wait.deadline, cancellation: wait.cancellation)
    } catch .cancelled {
      throw .cancelled(mayHaveBeenTaken: false)
    } catch {
      throw .transport(error, mayHaveBeenTaken: false)
    }
    let sizes = transport.reportSizes
    guard (8...64).contains(sizes.input), (8...64).contains(sizes.output) else {
      transport.close()
      let words = "reports of \(sizes.input) and \(sizes.output) bytes; CTAPHID needs 8 to 64"
      throw .transport(.unsuitable(words), mayHaveBeenTaken: false)
    }
    isOpen = true
    do {
      var none: PendingRequest?
      _ = try resynchronise(&none, wait)
    } catch {
      close()
      throw error
    }
  }

  /// Closes the transport; harmless where it is closed already.
  public func close() {
    isOpen = false
    reply = nil
    isUnsettled = false
    transport.close()
  }

  /// Has the key send `payload` back, which shows that it is there; up to `requestLimit` bytes.
  public func ping(_ payload: [UInt8], _ wait: Wait) throws(CTAPHIDError) {
    _ = try exchange(.ping, payload, repeatable: true, wait) { answer in
      answer == payload ? nil : "the echo differs from what was sent"
    }
  }

  /// Makes the key show itself.
  public func wink(_ wait: Wait) throws(CTAPHIDError) {
    _ = try exchange(.wink, [], repeatable: true, wait)
  }

  /// Keeps other channels out for `seconds`, at most 10; zero lets them in again.
  public func lock(seconds: UInt8, _ wait: Wait) throws(CTAPHIDError) {
    _ = try exchange(.lock, [seconds], repeatable: true, wait)
  }

  /// Brings the channel back to a known state with INIT; what the key was doing for this channel ends.
  public func resynchronise(_ wait: Wait) throws(CTAPHIDError) {
    guard isOpen else { throw .notOpen }
    var none: PendingRequest?
    _ = try resynchronise(&none, wait)
  }

  /// The channel to send on, or an error where there is none.
  func openChannel() throws(CTAPHIDError) -> ChannelID {
    guard isOpen, let reply else { throw .notOpen }
    return reply.channel
  }
}
