import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Testing
import Timing

@testable import VirtualKey

/// A virtual key on a manual clock, driven by reports, with the least host that can do that.
final class TestKey {
  let clock = ManualClock()
  let store: any VirtualKeyStore
  let random: SeededRandom
  let key: VirtualSecurityKey
  private(set) var channel = ChannelID.broadcast
  /// The keep-alive statuses since the last request, and when they came.
  private(set) var keepAlives: [(status: UInt8, at: Instant)] = []

  init(
    _ configuration: VirtualKeyConfiguration = VirtualKeyConfiguration(), store: any VirtualKeyStore = MemoryStore(),
    seed: UInt64 = 7
  ) throws {
    self.store = store
    random = SeededRandom(seed: seed)
    key = try VirtualSecurityKey(configuration: configuration, store: store, random: random, now: clock.now)
    try initialise()
  }

  /// The events of the log, without their moments.
  var events: [VirtualKeyEvent] { key.log.map(\.event) }

  /// Gets a channel by INIT.
  func initialise() throws {
    channel = .broadcast
    let nonce: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let reply = try #require(InitReply(try message(.initialise, nonce)))
    #expect(reply.nonce == nonce)
    channel = reply.channel
  }

  /// What the key says of itself when another channel is asked for.
  func initReply() throws -> InitReply {
    write(.initialise, [1, 2, 3, 4, 5, 6, 7, 8], on: .broadcast)
    let answer = try #require(read())
    return try #require(InitReply(answer.payload))
  }

  func powerCycle() throws {
    key.powerCycle(now: clock.now)
    try initialise()
  }

  func write(_ command: CTAPHIDCommand, _ payload: [UInt8], on other: ChannelID? = nil) {
    let size = key.configuration.reportSizes.output
    keepAlives = []
    for report in Packet.reports(channel: other ?? channel, command: command, payload: payload, size: size) ?? [] {
      key.receive(report, now: clock.now)
    }
  }

  /// Reads one message, keep-alives apart; nil where nothing comes within `patience`, turning the clock as needed.
  func read(patience: Duration = .seconds(60)) -> (command: CTAPHIDCommand, payload: [UInt8])? {
    let deadline = clock.now + patience
    var message: (command: CTAPHIDCommand, length: Int, data: [UInt8])?
    while true {
      guard let report = key.nextReport(now: clock.now) else {
        guard let next = key.nextEvent, next <= deadline else {
          clock.sleep(until: deadline)
          return nil
        }
        clock.sleep(until: next)
        continue
      }
      switch Packet(report: report) {
      case .initial(_, .keepAlive, _, let data): keepAlives.append((data.first ?? 0, clock.now))
      case .initial(_, let command, let length, let data): message = (command, length, data)
      case .continuation(_, _, let data): message?.data += data
      case nil: Issue.record("a report that is no packet")
      }
      if let message, message.data.count >= message.length {
        return (message.command, Array(message.data.prefix(message.length)))
      }
    }
  }

  /// Sends a message and returns the payload of the answer, which must be to the same command.
  func message(_ command: CTAPHIDCommand, _ payload: [UInt8]) throws -> [UInt8] {
    write(command, payload)
    let answer = try #require(read())
    #expect(answer.command == command)
    return answer.payload
  }

  /// Sends a CTAP request as it is and returns status and value.
  func raw(_ request: [UInt8]) throws -> (status: CTAPStatus, value: CBORValue?) {
    try CTAPResponse.decode(message(.cbor, request), mode: .strict)
  }

  func status(_ command: CTAPCommand, _ request: (any CTAPMessage)? = nil) throws -> CTAPStatus {
    try raw(CTAPRequest.encode(command, request?.cbor())).status
  }

  func makeStatus(_ request: MakeCredentialRequest) throws -> CTAPStatus { try status(.makeCredential, request) }

  func getStatus(_ request: GetAssertionRequest) throws -> CTAPStatus { try status(.getAssertion, request) }

  func pinStatus(_ request: ClientPINRequest) throws -> CTAPStatus { try status(.clientPIN, request) }

  /// Sends a request that must succeed.
  func answer<Response: CTAPMessage>(
    _ command: CTAPCommand, _ request: (any CTAPMessage)? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Response {
    let (status, value) = try raw(CTAPRequest.encode(command, request?.cbor()))
    try #require(status == .ok, "\(status)", sourceLocation: sourceLocation)
    return try Response(cborOrEmpty: value)
  }

  func info() throws -> GetInfoResponse { try answer(.getInfo) }

  func make(
    _ request: MakeCredentialRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> MakeCredentialResponse {
    try answer(.makeCredential, request, sourceLocation: sourceLocation)
  }

  func get(
    _ request: GetAssertionRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> GetAssertionResponse {
    try answer(.getAssertion, request, sourceLocation: sourceLocation)
  }
}

extension TestKey {
  /// How often the key was touched.
  var touches: Int { events.count { $0 == .touched } }

  /// The credentials that were made, as the key's own log has them.
  var credentialsMade: [[UInt8]] {
    events.compactMap { if case .credentialMade(_, let id, _) = $0 { id } else { nil } }
  }

  /// How many PIN tries were spent.
  var pinTries: Int { events.count { if case .pinTry = $0 { true } else { false } } }
}
