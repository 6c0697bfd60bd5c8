public import CTAPHID
internal import CTAPMessages

/// How many wrong PINs a key still takes.
public struct PINRetries: Hashable, Sendable {
  /// The tries that are left before the PIN is blocked for good.
  public let count: Int
  /// Whether the key wants to be unplugged before the next try; nil where it does not say.
  public let needsPowerCycle: Bool?

  /// Creates a value.
  public init(count: Int, needsPowerCycle: Bool? = nil) {
    self.count = count
    self.needsPowerCycle = needsPowerCycle
  }
}

extension KeySession {
  /// Asks how many wrong PINs the key still takes; to be asked before each prompt (CTAP 2.2 §6.5.5.2).
  public func pinRetries(_ wait: Wait) throws(CTAP2Error) -> PINRetries {
    let retries = try clientPIN(.getPINRetries, repeatable: true, wait) { response throws(Unfit) in
      guard let count = response.pinRetries else { throw Unfit("it has no PIN retries") }
      return PINRetries(count: count, needsPowerCycle: response.powerCycleState)
    }
    knownRetries = retries.count
    return retries
  }

  /// Asks how many failed verifications of its own the key still takes (CTAP 2.2 §6.5.5.3).
  public func uvRetries(_ wait: Wait) throws(CTAP2Error) -> Int {
    try clientPIN(.getUVRetries, repeatable: true, wait) { response throws(Unfit) in
      guard let count = response.uvRetries else { throw Unfit("it has no UV retries") }
      return count
    }
  }

  /// Sends a clientPIN subcommand with the preferred protocol and no further parameters.
  private func clientPIN<Answer>(
    _ subcommand: ClientPINSubcommand, repeatable: Bool, _ wait: Wait,
    _ read: @escaping (ClientPINResponse) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    let version = try pinUvAuthProtocol(wait)
    let request = ClientPINRequest(subcommand, pinUvAuthProtocol: version.rawValue)
    return try clientPIN(request, repeatable: repeatable, wait, read)
  }

  /// Sends a clientPIN request.
  func clientPIN<Answer>(
    _ request: ClientPINRequest, repeatable: Bool, resends: Bool = true, _ wait: Wait,
    _ read: @escaping (ClientPINResponse) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    try exchange(.clientPIN, request.cbor(), repeatable: repeatable, resends: resends, wait) { value throws(Unfit) in
      try read(Unfit.read(ClientPINResponse.self, value))
    }
  }

  /// Sends a request in which the key compares a PIN, and sees to it that one wrong PIN costs one try.
  ///
  /// An ERROR frame says that the key did not take the request, and could have come in the place of its answer. So
  /// before it is sent again the key is asked for its retries: where they have become fewer, the PIN was compared and
  /// is wrong. Where they have not, sending it again costs nothing that the first one has cost already.
  func clientPINTry<Answer>(
    _ request: ClientPINRequest, _ wait: Wait, _ read: @escaping (ClientPINResponse) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    var repeats = Self.busyRepeats
    while let before = knownRetries {
      do throws(CTAP2Error) {
        return try clientPIN(request, repeatable: false, resends: false, wait, read)
      } catch {
        guard case .hid(.errorFrame(let code, mayHaveBeenTaken: false)) = error, code.isPassing, repeats > 0 else {
          throw error
        }
        repeats -= 1
        let retries = try pinRetries(wait)
        guard retries.count >= before else { throw .verification(.pinInvalid(retries)) }
      }
    }
    return try clientPIN(request, repeatable: false, wait, read)
  }

  /// The protocol to use with this key.
  func pinUvAuthProtocol(_ wait: Wait) throws(CTAP2Error) -> PINUVAuthProtocol {
    guard let version = PINUVAuthProtocol.preferred(among: try info(wait).pinUvAuthProtocols) else {
      throw .notOffered("a PIN/UV protocol that is known here")
    }
    return version
  }
}

extension CTAPHIDErrorCode {
  /// Whether the same request can fare better when it is sent again.
  fileprivate var isPassing: Bool {
    switch self {
    case .channelBusy, .invalidLength, .messageTimeout, .invalidChannel, .invalidSequence: true
    default: false
    }
  }
}
