import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Timing

/// The commands of a key, without packets: a request goes in, and an answer comes out, then or after a touch.
///
/// Each command is an extension in a file of its own. A command changes the saved state only through `commit`.
final class Authenticator {
  let configuration: VirtualKeyConfiguration
  let random: any RandomSource
  private let store: any VirtualKeyStore
  /// The PIN that is set where the store has none.
  private let initialPIN: StoredPIN?

  /// What is saved.
  private(set) var state: VirtualKeyState
  /// The moment of the call that is being served.
  var now: Instant { didSet { log.now = now } }
  var log: KeyLog

  // What is lost with the power.
  var poweredUpAt: Instant
  var pending: PendingTouch?
  var agreements: [Int: P256KeyAgreement] = [:]
  var token = PINUVToken()
  var wrongPINsInARow = 0
  var remembered: RememberedAssertions?
  var listing: CredentialListing?
  var enrolment: Enrolment?
  var u2fTouch: U2FTouch?
  var largeBlobWrite: LargeBlobWrite?
  private var running: (command: UInt8, channel: ChannelID)?

  init(
    configuration: VirtualKeyConfiguration, store: any VirtualKeyStore, random: any RandomSource, now: Instant
  ) throws(VirtualKeyStoreError) {
    var configuration = configuration
    initialPIN = configuration.pin.map(StoredPIN.init)
    // The text of the PIN is not kept: its hash is all that a key needs.
    configuration.pin = nil
    self.configuration = configuration
    self.store = store
    self.random = random
    self.now = now
    log = KeyLog(limit: configuration.logLimit, observer: configuration.observer, now: now)
    poweredUpAt = now
    state = try Self.load(store, configuration.profile, initialPIN, random)
    log.add(.poweredUp)
  }

  var profile: VirtualKeyProfile { configuration.profile }

  /// The channel of the command that is being served.
  var channel: ChannelID { running?.channel ?? .reserved }

  /// Reads the store again, where another process may have written to it since.
  func reload() throws(VirtualKeyStoreError) {
    if try store.load() != nil { state = try Self.load(store, profile, initialPIN, random) }
  }

  /// Takes the power away and gives it back.
  func powerCycle() {
    pending = nil
    running = nil
    forgetVolatile()
    poweredUpAt = now
    log.add(.poweredUp)
  }

  /// Forgets everything that is not saved, but for what is running.
  func forgetVolatile() {
    agreements = [:]
    token = PINUVToken()
    wrongPINsInARow = 0
    remembered = nil
    listing = nil
    enrolment = nil
    u2fTouch = nil
    largeBlobWrite = nil
  }

  /// Changes the saved state; when it cannot be saved, it stays as it was and the command ends.
  func commit(_ change: (inout VirtualKeyState) -> Void) throws(Refusal) {
    var next = state
    change(&next)
    guard next != state else { return }
    do {
      try store.save(next)
    } catch {
      throw Refusal(.other)
    }
    state = next
  }

  /// Starts a command; nil while it waits for a touch.
  func start(_ request: [UInt8], channel: ChannelID) -> [UInt8]? {
    pending = nil
    running = (request.first ?? 0, channel)
    return proceed { () throws(Refusal) in try self.carryOut(request) }
  }

  /// Ends a wait for a touch that is over by now; nil where none is.
  func poll() -> [UInt8]? {
    pending?.answer(at: now).flatMap(resume)
  }

  /// Touches the key; nil where that ends no command.
  func touch() -> [UInt8]? {
    if pending != nil { return resume(.given) }
    if !touchForU2F() { log.add(.idleTouch) }
    return nil
  }

  /// Ends a waiting command as cancelled; nil where none waits.
  func cancel() -> [UInt8]? {
    guard pending != nil else { return nil }
    pending = nil
    log.add(.cancelled(running?.command ?? 0))
    return finish(.keepAliveCancel, nil)
  }

  /// Forgets a waiting command without an answer, as an INIT on its channel does.
  func abandon() {
    pending = nil
    running = nil
  }

  private func resume(_ answer: TouchAnswer) -> [UInt8]? {
    guard let wait = pending?.wait else { return nil }
    pending = nil
    switch answer {
    case .given: log.add(.touched)
    case .declined: log.add(.touchDeclined)
    case .timedOut: log.add(.touchTimedOut)
    }
    return proceed { () throws(Refusal) in try wait.then(answer) }
  }

  private func proceed(_ step: () throws(Refusal) -> Outcome) -> [UInt8]? {
    do throws(Refusal) {
      switch try step() {
      case .success(let value): return finish(.ok, value)
      case .touch(let wait):
        startWaiting(wait)
        return nil
      }
    } catch {
      return finish(error.status, nil)
    }
  }

  private func finish(_ status: CTAPStatus, _ value: CBORValue?) -> [UInt8] {
    let answer = CTAPResponse.encode(status, value)
    log.add(.answered(running?.command ?? 0, status, size: answer.count))
    running = nil
    return answer
  }
}
