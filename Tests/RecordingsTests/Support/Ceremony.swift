import BridgeTestSupport
import CBOR
import CTAP2
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Synchronization
import Timing
import VirtualKey

@testable import Recordings

/// Everything that has secrets in it, done once with a virtual key and recorded twice: with secrets and without.
struct Ceremony: Sendable {
  static let oldPIN = "4821-old"
  static let newPIN = "9157-new"

  let clear: Recording
  let redacted: Recording
  /// What must not be found, by name.
  let secrets: [(name: String, bytes: [UInt8])]

  /// - Parameter version: the PIN/UV protocol.
  init(_ version: PINUVAuthProtocol) throws {
    let (clearText, redactedText) = (Collector(), Collector())
    let clock = ManualClock()
    let header = FormatTests.header
    var clearHeader = header
    clearHeader.hasSecrets = true
    let outer = Recorder(header: clearHeader, clock: clock) { clearText.add($0) }
    let inner = Recorder(header: header, clock: clock) { redactedText.add($0) }

    var configuration = VirtualKeyConfiguration()
    configuration.profile.info.pinUvAuthProtocols = [version.rawValue]
    let port = try VirtualKeyPort(configuration: configuration, clock: clock, random: SeededRandom(seed: 5))
    let source = outer.recorded(inner.recorded(VirtualKeySource(port)))
    let random = outer.recorded(inner.recorded(SeededRandom(seed: 6)))
    let key = try source.keys()[0]
    let session = KeySession(
      transport: try source.transport(to: key), clock: clock, random: random.forKey(key.id))
    let found = try Self.run(session, clock, outer, inner)
    session.close()
    for recorder in [outer, inner] { recorder.finish(status: 0) }
    clear = try Recording(parsing: clearText.bytes)
    redacted = try Recording(parsing: redactedText.bytes)
    secrets = try found + Self.secrets(of: clear, version)
  }

  private typealias Secrets = [(name: String, bytes: [UInt8])]

  private static func run(
    _ session: KeySession, _ clock: ManualClock, _ recorders: Recorder...
  ) throws -> Secrets {
    let wait = Wait(deadline: clock.now + .seconds(600))
    let typed = Recorder.TypedSecrets()
    func secret(_ text: String) -> SecretBytes {
      let secret = SecretBytes(Array(text.utf8))
      for recorder in recorders {
        recorder.noteSecret("PIN", secret)
        recorder.noteAnswer("PIN", .secret(secret), among: typed)
      }
      return secret
    }
    try session.open(wait)
    try session.setPIN(secret(oldPIN), wait)
    try session.changePIN(from: secret(oldPIN), to: secret(newPIN), wait)
    let salts = SecretBytes((0..<64).map { UInt8($0) })
    let hash = Digest.sha256(Array("client data".utf8))

    let creating = try session.hmacSecretQuestion(salts: salts, wait)
    let made = try session.makeCredential(
      MakeCredentialRequest(
        clientDataHash: hash, rp: RelyingPartyEntity(id: "example.org", name: "Example"),
        user: UserEntity(id: [1, 2, 3], name: "alice", displayName: "Alice"),
        pubKeyCredParams: [CredentialParameters(algorithm: -7)],
        extensions: ["hmac-secret": true, "hmac-secret-mc": creating.input, "largeBlobKey": true],
        options: RequestOptions(rk: true)),
      token: try session.token(pin: secret(newPIN), permissions: .makeCredential, rpID: "example.org", wait), wait)

    let asking = try session.hmacSecretQuestion(salts: salts, wait)
    let signed = try session.getAssertion(
      GetAssertionRequest(
        rpID: "example.org", clientDataHash: hash, extensions: ["hmac-secret": asking.input, "largeBlobKey": true]),
      token: try session.token(pin: secret(newPIN), permissions: .getAssertion, rpID: "example.org", wait), wait)

    func outputs(_ name: String, _ data: AuthenticatorData, _ question: HMACSecretQuestion) throws -> Secrets {
      let encrypted = data.extensions?[.text(name)]?.bytesValue ?? []
      return [("\(name), encrypted", encrypted), (name, try question.outputs(encrypted).exposed())]
    }
    return try outputs("hmac-secret-mc", made.authData, creating) + outputs("hmac-secret", signed.authData, asking)
      + [("largeBlobKey", made.largeBlobKey ?? []), ("largeBlobKey", signed.largeBlobKey ?? [])]
      + [oldPIN, newPIN].flatMap { pin in
        [("PIN", Array(pin.utf8)), ("PIN hash", Array(Digest.sha256(Array(pin.utf8)).prefix(16)))]
      }
  }

  /// Decrypts a recording with secrets, as whoever has it can.
  private static func secrets(of clear: Recording, _ version: PINUVAuthProtocol) throws -> Secrets {
    var secrets: Secrets = []
    var keyAgreement: COSEKey?
    var shared: SharedSecret?
    for message in try clear.messages() {
      switch message {
      case .draw(let scalar):
        secrets.append(("private scalar", scalar))
        guard let keyAgreement else { continue }
        let platform = try P256KeyAgreement(privateScalar: SecretBytes(scalar))
        secrets += [("platform x", platform.x), ("platform y", platform.y)]
        shared = try SharedSecret(version: version, with: keyAgreement, platform: platform)
      case .message(let direction, let payload):
        let body = try CBORDecoder.decode(Array(payload.dropFirst())).mapValue
        guard let body else { continue }
        if direction == .fromKey, body.count == 1, let key = body[1], key.mapValue != nil {
          keyAgreement = try COSEKey(cbor: key)
        }
        if direction == .fromKey, body.count == 1, let token = body[2]?.bytesValue, let shared {
          secrets += [("token, encrypted", token), ("token", try shared.decrypt(token).exposed())]
        }
        guard direction == .toKey else { continue }
        let hidden = payload.first == 6 ? [4, 5, 6] : payload.first == 1 ? [8] : payload.first == 2 ? [6] : []
        for member in hidden {
          // The vector in front of what protocol two encrypts is public.
          let prefix = version == .two && payload.first == 6 && member != 4 ? 16 : 0
          if let bytes = body[member]?.bytesValue {
            secrets.append(("member \(member)", Array(bytes.dropFirst(prefix))))
          }
        }
      }
    }
    return secrets
  }
}

/// Takes the lines of a recording.
final class Collector: Sendable {
  private let content = Mutex<[UInt8]>([])
  var bytes: [UInt8] { content.withLock { $0 } }
  func add(_ line: [UInt8]) { content.withLock { $0 += line } }
}

extension Recording {
  enum Message {
    case draw([UInt8])
    case message(ReportDirection, [UInt8])
  }

  /// The CBOR messages with content, and the private draws, in order.
  func messages() throws -> [Message] {
    var messages: [Message] = []
    var assembler: MessageAssembler?
    for event in events {
      if case .draw(_, let bytes, isPrivate: true) = event.kind { messages.append(.draw(bytes)) }
      guard case .report(_, let direction, let report) = event.kind, let packet = Packet(report: report.bytes) else {
        continue
      }
      switch packet {
      case .initial(_, let command, let length, let data):
        assembler = MessageAssembler(command: command, length: length, data: data, limit: 7609)
      case .continuation(_, let sequence, let data): _ = assembler?.add(sequence: sequence, data: data)
      }
      if let whole = assembler, whole.isComplete {
        if whole.command == .cbor, whole.payload.count > 1 { messages.append(.message(direction, whole.payload)) }
        assembler = nil
      }
    }
    return messages
  }

  /// All reports in order.
  var reports: [(direction: ReportDirection, bytes: [UInt8])] {
    events.compactMap { event in
      guard case .report(_, let direction, let report) = event.kind else { return nil }
      return (direction, report.bytes)
    }
  }

  /// The data of all reports without their headers, one direction after the other.
  func data() -> [UInt8] {
    [ReportDirection.toKey, .fromKey].flatMap { direction in
      reports.filter { $0.direction == direction }.flatMap { RecordedReport($0.bytes).data }
    }
  }
}

extension RecordedReport {
  /// The bytes behind the header.
  var data: ArraySlice<UInt8> { bytes.dropFirst(bytes[4] & 0x80 == 0 ? 5 : 7) }
}

/// Looks for any eight bytes in a row of any of some secrets.
struct Search {
  private var windows: Set<UInt64> = []

  init(_ secrets: [(name: String, bytes: [UInt8])]) {
    for secret in secrets { Self.windows(of: secret.bytes) { windows.insert($0) } }
  }

  func finds(in bytes: [UInt8]) -> Bool {
    var found = false
    Self.windows(of: bytes) { found = found || windows.contains($0) }
    return found
  }

  /// What the runs of hexadecimal digits in a text stand for, at both alignments.
  static func digits(in text: [UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: 0, count: 256)
    for digit in UInt8(0)..<16 { values[Int(Array(String(digit, radix: 16).utf8)[0])] = digit }
    let nibbles = text.map { values[Int($0)] }
    return [0, 1].flatMap { offset in
      stride(from: offset, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
  }

  private static func windows(of bytes: [UInt8], _ body: (UInt64) -> Void) {
    var window: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      window = window << 8 | UInt64(byte)
      if index >= 7 { body(window) }
    }
  }
}
