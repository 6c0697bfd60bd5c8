import CBOR
import CTAPHID
import CTAPMessages
import Synchronization
import Timing

/// What a host wrote to a key, put together from its reports by rules of its own.
final class RulesWire: Sendable {
  private let reports = Mutex<[[UInt8]]>([])

  func add(_ report: [UInt8]) { reports.withLock { $0.append(report) } }

  func clear() { reports.withLock { $0 = [] } }

  /// A message: the CTAPHID command byte without its high bit, and the payload.
  struct Message {
    let command: UInt8
    let payload: [UInt8]

    /// What the key is asked to do.
    var name: String {
      switch (command, payload.first) {
      case (0x06, _): "INIT"
      case (0x03, _): u2fName
      case (0x10, 0x01?): "makeCredential"
      case (0x10, 0x02?): "getAssertion"
      case (0x10, 0x04?): "getInfo"
      case (0x10, 0x06?): subcommands[parameters?[2]?.intValue ?? 0] ?? "clientPIN"
      default: "\(command) \(payload.prefix(1))"
      }
    }

    /// What a U2F key is asked to do: its instruction, and for one of them its first parameter.
    private var u2fName: String {
      switch payload.dropFirst().first {
      case 0x01?: "U2F register"
      case 0x02? where payload[2] == 0x07: "U2F check"
      case 0x02?: "U2F authenticate"
      case 0x03?: "U2F version"
      default: "U2F \(payload.prefix(2))"
      }
    }

    /// The parameters of a CTAP command.
    var parameters: CBORMap? { try? CBORDecoder.decode(Array(payload.dropFirst()), mode: .strict).mapValue }

    private var subcommands: [Int: String] {
      [
        1: "PIN retries", 2: "key agreement", 5: "pinToken", 6: "token by built-in verification", 7: "UV retries",
        9: "token by PIN",
      ]
    }
  }

  /// The messages so far: an initial report has its high bit set after the channel, and its length in two bytes.
  func messages() -> [Message] {
    var messages: [Message] = []
    var begun: (command: UInt8, length: Int, payload: [UInt8])?
    for report in reports.withLock({ $0 }) {
      if report[4] & 0x80 != 0 {
        begun = (report[4] & 0x7f, Int(report[5]) << 8 | Int(report[6]), Array(report[7...]))
      } else {
        begun?.payload += report[5...]
      }
      guard let whole = begun, whole.payload.count >= whole.length else { continue }
      messages.append(Message(command: whole.command, payload: Array(whole.payload.prefix(whole.length))))
      begun = nil
    }
    return messages
  }
}

/// A transport that shows what is written through it.
final class TappedTransport: ReportTransport {
  private let transport: any ReportTransport
  private let wire: RulesWire

  init(_ transport: any ReportTransport, _ wire: RulesWire) {
    self.transport = transport
    self.wire = wire
  }

  var reportSizes: ReportSizes { transport.reportSizes }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    try transport.open(deadline: deadline, cancellation: cancellation)
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? { try transport.read(deadline: deadline) }

  func write(_ report: [UInt8]) throws(TransportError) {
    wire.add(report)
    try transport.write(report)
  }

  func close() { transport.close() }
}

/// A source of keys whose transports show what is written through them.
struct TappedSource: KeySource {
  let source: any KeySource
  let wire: RulesWire

  func keys() throws(TransportError) -> [KeyDescription] { try source.keys() }

  func events() -> AsyncStream<KeyEvent> { source.events() }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    TappedTransport(try source.transport(to: key), wire)
  }
}
