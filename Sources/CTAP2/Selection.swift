internal import CBOR
public import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import Synchronization
internal import Timing

extension KeySession {
  /// How long a key waits for a touch at least before a refusal counts as its time-out: some keys say
  /// OPERATION_DENIED after about 30 seconds, and a person who refuses is faster.
  static let touchTimeout = Duration.seconds(20)
  /// The pause before a key is asked again, so that one that gives up at once is not flooded.
  static let selectionPause = Duration.milliseconds(100)

  /// Waits for a touch that says "this key" (CTAP 2.2 §6.9); the key forgets it at once.
  ///
  /// A key older than CTAP 2.1 has no command for it: there a makeCredential with an empty `pinUvAuthParam` asks for
  /// a touch and then fails. A key that stops waiting is asked again until the deadline. A U2F key, once `abilities`
  /// has found out that it is one, is asked to register for no site.
  public func select(_ wait: Wait) throws(CTAP2Error) {
    if speaksOnlyU2F { return try u2fTouch(wait) }
    let info = try info(wait)
    var usesCommand = info.hasSelection
    while true {
      let start = clock.now
      do throws(CTAP2Error) {
        if usesCommand { try selectionCommand(wait) } else { try dummyTouch(info, wait) }
        return
      } catch {
        switch error {
        case .status(.invalidCommand, .selection):
          usesCommand = false
        case .status(.userActionTimeout, _), .status(.actionTimeout, _):
          try pause(Self.selectionPause, wait)
        case .status(.operationDenied, _) where clock.now.since(start) >= Self.touchTimeout:
          try pause(Self.selectionPause, wait)
        default:
          throw error
        }
      }
    }
  }

  private func selectionCommand(_ wait: Wait) throws(CTAP2Error) {
    try exchange(.selection, repeatable: true, wait) { value throws(Unfit) in try Unfit.empty(value) }
  }

  /// Asks for a touch by a makeCredential that can't succeed.
  ///
  /// Keys end it with one of three statuses about the PIN. The protocol goes with it, because some keys want it
  /// beside every `pinUvAuthParam`, even an empty one.
  private func dummyTouch(_ info: GetInfoResponse, _ wait: Wait) throws(CTAP2Error) {
    let version = PINUVAuthProtocol.preferred(among: info.pinUvAuthProtocols) ?? .one
    let request = MakeCredentialRequest(
      clientDataHash: [UInt8](repeating: 0, count: 32), rp: RelyingPartyEntity(id: "touch.invalid", name: "touch"),
      user: UserEntity(id: [0], name: "touch"), pubKeyCredParams: [CredentialParameters(algorithm: -7)],
      pinUvAuthParam: [], pinUvAuthProtocol: version.rawValue)
    let wasAsked = Sighting()
    var watched = wait
    watched.onKeepAlive = { status in
      if status == .userPresenceNeeded { wasAsked.note() }
      wait.onKeepAlive(status)
    }
    do throws(CTAP2Error) {
      // A key that knows no PIN may succeed; the credential is not kept there, and nobody ever asks for it.
      try exchange(.makeCredential, request.cbor(), repeatable: true, watched) { value throws(Unfit) in
        let response = try Unfit.read(MakeCredentialResponse.self, value)
        guard response.authData.rpIDHash == Digest.sha256(Array(request.rp.id.utf8)) else {
          throw Unfit("it is for another RP ID")
        }
      }
    } catch {
      switch error {
      case .verification(.pinNotSet), .verification(.pinInvalid), .status(.pinAuthInvalid, _): return
      // Some keys end it so; others say it before any touch.
      case .status(.puatRequired, _) where wasAsked.happened: return
      default: throw error
      }
    }
  }
}

/// Whether something was seen, told from one closure to another.
private final class Sighting: Sendable {
  private let flag = Atomic<Bool>(false)

  func note() { flag.store(true, ordering: .relaxed) }

  var happened: Bool { flag.load(ordering: .relaxed) }
}

extension GetInfoResponse {
  /// Whether the key knows the selection command, which came with CTAP 2.1.
  var hasSelection: Bool {
    versions.contains { $0.hasPrefix("FIDO_2_") && $0 != "FIDO_2_0" && $0 != "FIDO_2_1_PRE" }
  }
}
