import BridgeTestSupport
import CBOR
import CTAP2
import CTAPHID
import CTAPMessages
import Octets
import Timing

/// A key whose answers a test decides, over real reports and a clock that the reads turn.
final class FakeKey: ReportTransport {
  typealias Reaction = DeviceTransport.Reaction

  /// A request as the key read it.
  struct Request {
    let command: CTAPCommand?
    let parameters: CBORValue?
    let bytes: [UInt8]
  }

  let clock = ManualClock()
  /// What getInfo says, while `answer` leaves it to it.
  var info: GetInfoResponse
  /// What the key does; nil for getInfo's own answer, else "invalid command".
  var answer: (Request) throws -> Reaction? = { _ in nil }
  /// What the key does with commands below CTAP2, such as a vendor's.
  var answerBelow: (CTAPHIDCommand, [UInt8]) -> Reaction = { _, _ in .answer([]) }
  /// Reports that come before those of the answer that is being made.
  private var stale: [[UInt8]] = []
  /// What the next read throws.
  var readFailure: TransportError?
  /// Whether CANCEL never reaches the key.
  var ignoresCancel = false
  private(set) var requests: [Request] = []
  /// How often the host sent INIT.
  private(set) var initialisations = 0
  /// How often the host sent CANCEL.
  private(set) var cancellations = 0

  private var channel = ChannelID.broadcast
  private var transport: DeviceTransport?

  init(
    versions: [String] = ["FIDO_2_0", "FIDO_2_1"], options: AuthenticatorOptions = ["rk": true],
    capabilities: DeviceCapabilities = [.wink, .cbor]
  ) {
    info = GetInfoResponse(versions: versions, aaguid: .zero)
    info.options = options
    var configuration = KeyDevice.Configuration()
    configuration.capabilities = capabilities
    configuration.takesVendorCommands = true
    let device = KeyDevice(configuration: configuration, random: SeededRandom(seed: 7))
    transport = DeviceTransport(device: device, clock: clock) { [unowned self] command, payload in
      command == .cbor ? self.react(payload) : self.answerBelow(command, payload)
    }
  }

  /// A session with this key, open, and a wait of a minute.
  func session(random: any RandomSource = SeededRandom(seed: 3)) throws -> KeySession {
    let session = KeySession(transport: self, clock: clock, random: random)
    try session.open(wait())
    return session
  }

  func wait(_ duration: Duration = .seconds(60), _ cancellation: Cancellation = Cancellation()) -> Wait {
    Wait(deadline: clock.now + duration, cancellation: cancellation)
  }

  /// The commands that came after INIT, in order.
  var commands: [CTAPCommand?] { requests.map(\.command) }

  /// Sends an answer that belongs to nothing, before the one to the request that the key is at.
  func sendStale(_ payload: [UInt8]) {
    stale += Packet.reports(channel: channel, command: .cbor, payload: payload, size: 64) ?? []
  }

  private func react(_ payload: [UInt8]) -> Reaction {
    let (number, parameters) = (try? CTAPRequest.decode(payload)) ?? (0, nil)
    let request = Request(command: CTAPCommand(rawValue: number), parameters: parameters, bytes: payload)
    requests.append(request)
    do {
      if let reaction = try answer(request) { return reaction }
    } catch {
      return .status(.other)
    }
    return request.command == .getInfo ? .ok(info) : .status(.invalidCommand)
  }

  var reportSizes: ReportSizes { .standard }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    try transport?.open(deadline: deadline, cancellation: cancellation)
  }

  func close() { transport?.close() }

  func write(_ report: [UInt8]) throws(TransportError) {
    if let packet = Packet(report: report) {
      channel = packet.channel
      if case .initial(_, .initialise, _, _) = packet { initialisations += 1 }
      if case .initial(_, .cancel, _, _) = packet {
        cancellations += 1
        if ignoresCancel { return }
      }
    }
    try transport?.write(report)
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    if let readFailure, !requests.isEmpty { throw readFailure }
    if !stale.isEmpty { return stale.removeFirst() }
    return try transport?.read(deadline: deadline)
  }
}

extension DeviceTransport.Reaction {
  /// A success with a message.
  static func ok(_ message: some CTAPMessage, after: Duration = .zero, touch: Bool = false) -> Self {
    .answer(CTAPResponse.encode(message), after: after, status: touch ? .userPresenceNeeded : .processing)
  }

  /// A success without content.
  static var ok: Self { .answer([0]) }

  /// A status.
  static func status(_ status: CTAPStatus, after: Duration = .zero, touch: Bool = false) -> Self {
    .answer([status.rawValue], after: after, status: touch ? .userPresenceNeeded : .processing)
  }
}
