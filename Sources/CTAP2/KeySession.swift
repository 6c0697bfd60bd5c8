internal import CBOR
public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto
public import Octets
public import Timing

/// The host's session with one open key: every CTAP2 command, one at a time, on the key's own thread.
///
/// What the key says of itself is asked for once and kept; commands that change it forget it. Each command ends
/// within its wait: with an answer that fits the command, or with a typed error.
///
/// CTAPHID numbers no answers, so one that was meant for somebody else can come first. An answer whose members don't
/// fit its command is passed over, and reading goes on.
public final class KeySession {
  let channel: HostChannel
  let clock: any MonotonicClock
  let random: any RandomSource

  /// What the key last said of itself, or nil.
  private(set) var knownInfo: GetInfoResponse?
  /// The PIN tries that the key last told of, or nil.
  var knownRetries: Int?
  /// The commands that the key answers only in the form of CTAP 2.1's preview, whatever it announces.
  var answersPreviewOnly: Set<CTAPCommand> = []
  /// Whether the key turned out to speak U2F and nothing else; `abilities` finds out.
  public internal(set) var speaksOnlyU2F = false
  /// The form of U2F requests that the key takes.
  var u2fForm = U2FForm()

  /// Creates a session over a closed transport.
  public init(transport: any ReportTransport, clock: any MonotonicClock, random: any RandomSource) {
    channel = HostChannel(transport: transport, clock: clock, random: random)
    self.clock = clock
    self.random = random
  }

  /// Opens the key and gets a channel of our own.
  public func open(_ wait: Wait) throws(CTAP2Error) {
    knownInfo = nil
    knownRetries = nil
    answersPreviewOnly = []
    speaksOnlyU2F = false
    u2fForm = U2FForm()
    do throws(CTAPHIDError) {
      try channel.open(wait)
    } catch {
      throw .hid(error)
    }
  }

  /// Closes the key; harmless where it is closed already.
  public func close() {
    knownInfo = nil
    channel.close()
  }

  /// What the key said of itself in its INIT reply; valid once `open` has returned.
  public var capabilities: DeviceCapabilities { channel.capabilities }

  /// Asks the key what it is and what it can do, each time anew (CTAP 2.2 §6.4).
  ///
  /// - Throws: `notCTAP2` from a key that claims no CTAP2 in its INIT reply and knows no such command. Any other
  ///   trouble keeps its own name: it says nothing about which protocols the key speaks.
  public func getInfo(_ wait: Wait) throws(CTAP2Error) -> GetInfoResponse {
    do throws(CTAP2Error) {
      let info = try exchange(.getInfo, repeatable: true, wait) { value throws(Unfit) in
        try Unfit.read(GetInfoResponse.self, value)
      }
      knownInfo = info
      return info
    } catch {
      // The command is sent whatever the INIT reply claims: some keys claim nothing at all.
      guard !capabilities.contains(.cbor) else { throw error }
      switch error {
      case .hid(.errorFrame(.invalidCommand, _)), .status(.invalidCommand, _): throw .notCTAP2
      default: throw error
      }
    }
  }

  /// What the key said of itself, asked for only where that is not known.
  func info(_ wait: Wait) throws(CTAP2Error) -> GetInfoResponse {
    if let knownInfo { knownInfo } else { try getInfo(wait) }
  }

  /// Forgets what the key said of itself, because a command changed it.
  func forgetInfo() { knownInfo = nil }

  /// Sends a command and returns the first answer that `read` takes.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - parameters: its parameters, or nil.
  ///   - repeatable: whether carrying the command out twice does no harm.
  ///   - resends: whether it is sent again where an ERROR frame shows that the key did not take it.
  ///   - wait: how long it may take.
  ///   - read: turns a success into its value, or says why it is the answer to something else.
  func exchange<Answer>(
    _ command: CTAPCommand, _ parameters: CBORValue? = nil, repeatable: Bool, resends: Bool = true, _ wait: Wait,
    _ read: @escaping (CBORValue?) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    let request = CTAPRequest.encode(command, parameters)
    if let knownInfo {
      let limit = CredentialLimits(knownInfo).messageSize
      guard request.count <= limit else { throw .requestTooLarge(size: request.count, limit: limit) }
    }
    var repeats = repeatable ? Self.busyRepeats : 0
    while true {
      switch try send(command, request, repeatable: repeatable, resends: resends, wait, read) {
      case .answer(let answer): return answer
      case .status(let status) where status.isPassing && repeats > 0:
        repeats -= 1
        try pause(Self.busyPause, wait)
      case .status(let status): throw .answered(status, command)
      }
    }
  }

  /// How often a command that changes nothing is sent again to a key that says it is busy.
  static let busyRepeats = 20
  /// The pause before that.
  static let busyPause = Duration.milliseconds(100)

  private enum Outcome<Answer> {
    case answer(Answer)
    case status(CTAPStatus)
  }

  private func send<Answer>(
    _ command: CTAPCommand, _ request: [UInt8], repeatable: Bool, resends: Bool, _ wait: Wait,
    _ read: @escaping (CBORValue?) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Outcome<Answer> {
    var outcome: Outcome<Answer>?
    do throws(CTAPHIDError) {
      _ = try channel.exchange(.cbor, request, repeatable: repeatable, resends: resends, wait) { bytes in
        do throws(Unfit) {
          let (status, value) = try Unfit.decode(bytes)
          outcome = status == .ok ? .answer(try read(value)) : .status(status)
          return nil
        } catch {
          return AnswerRefusal(error.reason)
        }
      }
    } catch {
      if case .answerRefused(let refusal, _) = error { throw .misfit(refusal.reason, command) }
      throw .hid(error)
    }
    guard let outcome else { throw .misfit("it was not looked at", command) }
    return outcome
  }

  /// Waits, unless the wait is cancelled or its time is up.
  func pause(_ duration: Duration, _ wait: Wait) throws(CTAP2Error) {
    let end = clock.now + duration
    while clock.now < end {
      if wait.cancellation.isCancelled { throw .hid(.cancelled(mayHaveBeenTaken: false)) }
      if clock.now >= wait.deadline { throw .hid(.timeout(.busy, mayHaveBeenTaken: false)) }
      clock.sleep(until: min(end, wait.deadline, clock.now + .milliseconds(10)))
    }
  }
}

extension CTAPStatus {
  /// Whether the key says that it had no time for the command, which it may have later.
  fileprivate var isPassing: Bool { self == .channelBusy || self == .timeout }
}

/// Why an answer is not the answer to the command that was sent.
struct Unfit: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }

  /// Takes an answer apart; one that is no status and CBOR does not fit.
  ///
  /// A failure has no content but, on some keys, an empty map. One with content is a success whose status was damaged
  /// on the way, and believing it could hide a credential.
  static func decode(_ bytes: [UInt8]) throws(Unfit) -> (CTAPStatus, CBORValue?) {
    do throws(MessageError) {
      let (status, value) = try CTAPResponse.decode(bytes)
      if status == .ok || bytes.count <= 2 { return (status, value) }
      throw MessageError(message: "response", problem: .trailingBytes(bytes.count - 1))
    } catch {
      throw Unfit("\(error)")
    }
  }

  /// Reads a message; one that can't be read does not fit.
  static func read<Message: CTAPMessage>(_ type: Message.Type, _ value: CBORValue?) throws(Unfit) -> Message {
    do throws(MessageError) {
      return try Message(cborOrEmpty: value)
    } catch {
      throw Unfit("\(error)")
    }
  }

  /// Takes an answer without content: none at all, or an empty map, as keys send both.
  static func empty(_ value: CBORValue?) throws(Unfit) {
    guard let value else { return }
    guard case .map(let map) = value, map.isEmpty else { throw Unfit("it has content, and none was due") }
  }
}

extension CTAP2Error {
  /// The error for a status byte; those about PIN and user verification have names of their own.
  static func answered(_ status: CTAPStatus, _ command: CTAPCommand) -> CTAP2Error {
    switch status {
    case .pinInvalid: .verification(.pinInvalid(nil))
    case .pinAuthBlocked: .verification(.pinAuthBlocked)
    case .pinBlocked: .verification(.pinBlocked)
    case .pinNotSet: .verification(.pinNotSet)
    case .pinPolicyViolation: .verification(.pinMustChange)
    case .uvInvalid: .verification(.uvInvalid(retries: nil))
    case .uvBlocked: .verification(.uvBlocked)
    default: .status(status, command)
    }
  }
}
