import CTAPHID
import CTAPMessages
public import Octets
public import Timing

/// A FIDO2 security key in software, without I/O: reports and moments in, reports out.
///
/// The owner hands in each report with `receive`, and takes reports with `nextReport` after each call and at `nextEvent`,
/// until there are none. `VirtualKeyPort` does that in process; other owners show the key to a kernel. The key is used
/// from one thread at a time.
public final class VirtualSecurityKey {
  private let authenticator: Authenticator
  private var device: KeyDevice
  private var faults: FaultPlan
  /// What happens to the answer of the command that runs.
  private var answerFault: Fault.Answer?
  /// An answer that is held back.
  private var held: (answer: [UInt8], at: Instant)?
  /// Whether the running command gets neither answer nor keep-alives.
  private var isSilent = false
  /// The second copy of a report that is sent twice.
  private var copy: [UInt8]?
  private var sentCount = 0
  private var receivedCount = 0

  /// Whether the key was pulled out; `powerCycle` puts it in again.
  public private(set) var isUnplugged = false

  /// Creates a key with what its store holds, or a new one; the caller has taken the store.
  public init(
    configuration: VirtualKeyConfiguration = VirtualKeyConfiguration(), store: any VirtualKeyStore = MemoryStore(),
    random: any RandomSource, now: Instant
  ) throws(VirtualKeyStoreError) {
    authenticator = try Authenticator(configuration: configuration, store: store, random: random, now: now)
    faults = configuration.faults
    var properties = KeyDevice.Configuration()
    properties.reportSizes = configuration.reportSizes
    properties.version = configuration.identity.deviceVersion
    properties.capabilities = .wink
    if configuration.profile.speaksCTAP2 { properties.capabilities.insert(.cbor) }
    if !configuration.profile.speaksU2F { properties.capabilities.insert(.noMSG) }
    device = KeyDevice(configuration: properties, random: random)
  }

  // A command that waits holds on to what carries it out, which holds on to the command.
  deinit { authenticator.abandon() }

  /// What the key was made with, but for the PIN.
  public var configuration: VirtualKeyConfiguration { authenticator.configuration }

  /// What happened, as the key saw it.
  public var log: [VirtualKeyLogEntry] { authenticator.log.entries }

  /// Whether the key waits for a touch now.
  public var isWaitingForTouch: Bool { authenticator.pending != nil || authenticator.isWaitingForU2FTouch }

  /// When the key has something to do by itself, or nil for never.
  public var nextEvent: Instant? {
    if isUnplugged { return nil }
    let moments = [device.nextDeadline, authenticator.pending?.nextEvent(after: authenticator.now), held?.at]
    return moments.compactMap(\.self).min()
  }

  /// Takes one report from the host.
  public func receive(_ report: [UInt8], now: Instant) {
    if isUnplugged { return }
    advance(to: now)
    receivedCount += 1
    for event in device.receive(report, now: now) { take(event) }
    if faults.faults.contains(.unplugAfterReceiving(receivedCount)) { unplug(now: now) }
  }

  /// The next report for the host, or nil where there is none now.
  public func nextReport(now: Instant) -> [UInt8]? {
    if isUnplugged { return nil }
    advance(to: now)
    if let again = copy {
      copy = nil
      return again
    }
    while var report = device.nextReport() {
      guard record(report) else { continue }
      let damage = faults.damage(toReport: sentCount)
      sentCount += 1
      if faults.faults.contains(.unplugAfterSending(sentCount)) { unplug(now: now) }
      switch damage {
      case .dropped: continue
      case .duplicated: copy = report
      case .flipped(let bit):
        if report.indices.contains(bit / 8) { report[bit / 8] ^= 1 << UInt8(bit % 8) }
      case nil: break
      }
      return report
    }
    return nil
  }

  /// Touches the key.
  public func touch(now: Instant) {
    if isUnplugged { return }
    advance(to: now)
    if let answer = authenticator.touch() { deliver(answer) }
  }

  /// Pulls the key out: nothing comes from it until the next power cycle.
  public func unplug(now: Instant) {
    if isUnplugged { return }
    authenticator.now = now
    authenticator.log.add(.unplugged)
    authenticator.abandon()
    isUnplugged = true
  }

  /// Takes the power away, where it is there, and gives it back.
  public func powerCycle(now: Instant) {
    authenticator.now = now
    authenticator.powerCycle()
    device.powerCycle()
    (answerFault, held, isSilent, copy, isUnplugged) = (nil, nil, false, nil, false)
  }

  /// Reads the store again, where another process may have written to it since.
  public func reload() throws(VirtualKeyStoreError) { try authenticator.reload() }

  /// Empties the log.
  public func clearLog() { authenticator.log.clear() }

  private func advance(to now: Instant) {
    authenticator.now = now
    if let answer = authenticator.poll() { deliver(answer) }
    if let held, held.at <= now {
      self.held = nil
      send(held.answer)
    }
    device.tick(now: now)
  }

  private func take(_ event: KeyDevice.Event) {
    switch event {
    case .message(let channel, .cbor, let payload): start(payload, channel)
    case .message(let channel, .msg, let payload):
      device.respond(channel, .msg, authenticator.answerU2F(payload, channel: channel))
    case .message(let channel, _, _): device.refuse(channel, .invalidCommand)
    case .cancel:
      if faults.faults.contains(.ignoresCancel) { return }
      if let answer = authenticator.cancel() { deliver(answer) }
    case .aborted:
      authenticator.abandon()
      (answerFault, held, isSilent) = (nil, nil, false)
    case .wink: authenticator.log.add(.winked)
    }
  }

  private func start(_ payload: [UInt8], _ channel: ChannelID) {
    let command = payload.first ?? 0
    authenticator.log.add(.command(command, channel, size: payload.count))
    (answerFault, isSilent) = (faults.next(for: command), false)
    switch answerFault {
    case .status(let status): send(CTAPResponse.encode(status))
    case .bytes(let bytes): send(bytes)
    case .silence: isSilent = true
    case .late, .lost, nil:
      if let answer = authenticator.start(payload, channel: channel) {
        deliver(answer)
      } else {
        device.keepAlive(.userPresenceNeeded, now: authenticator.now)
      }
    }
  }

  /// Answers the running command, unless a fault has other plans.
  private func deliver(_ answer: [UInt8]) {
    switch answerFault {
    case .late(let delay):
      held = (answer, authenticator.now + delay)
      device.keepAlive(.processing, now: authenticator.now)
    case .lost: isSilent = true
    default: send(answer)
    }
  }

  private func send(_ answer: [UInt8]) {
    guard let channel = device.activeChannel else { return }
    device.respond(channel, .cbor, answer)
  }

  /// Writes down what a report begins; false where it is not to be sent at all.
  private func record(_ report: [UInt8]) -> Bool {
    guard case .initial(let channel, let command, _, let data) = Packet(report: report) else { return true }
    switch command {
    case .keepAlive: return !isSilent
    case .initialise: authenticator.log.add(.initialised(channel))
    case .ping, .lock, .wink: authenticator.log.add(.replied(command, channel))
    case .error: authenticator.log.add(.refused(CTAPHIDErrorCode(rawValue: data.first ?? 0), channel))
    default: break
    }
    return true
  }
}
