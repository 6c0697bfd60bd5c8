internal import CBOR
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import FaultJudge
internal import Octets
internal import Timing
internal import VirtualKey

extension Ceremony {
  /// Every ceremony of the matrix.
  static let all = registrations + signIns + overU2F + management

  /// Asking and registering.
  private static let registrations: [Ceremony] = [
    Ceremony(name: "info", key: VirtualKeyConfiguration(), task: .info) { bench in
      bench.session { session, wait throws(CTAP2Error) in .info(try session.getInfo(wait)) }
    },
    registration("register"),
    registration("register, resident", Wishes(residentKey: "required")),
    registration("register, self-attested", key: Keys.plain { $0.attestation = .selfSigned }),
    registration("register, unattested", key: Keys.plain { $0.attestation = .none }),
    registration("register, touched after 0.8 s", key: Keys.plain { $0.presence = .after(.milliseconds(800)) }),
    registration("register, never touched", key: Keys.plain { $0.presence = .never }, timeout: .seconds(3)),
    registration("register, PIN protocol two", Wishes(verification: "required"), key: Keys.pin([2])),
    registration("register, PIN protocol one", Wishes(verification: "required"), key: Keys.pin([1])),
    registration("register, PIN of CTAP 2.0", Wishes(verification: "required"), key: Keys.oldPIN),
    registration("register, wrong PIN", Wishes(verification: "required"), key: Keys.pin([2]), types: "1234-Sesame"),
    registration("register, UV by token", Wishes(verification: "required"), key: Keys.fingerprint),
    registration("register, UV by option", Wishes(verification: "required"), key: Keys.oldFingerprint),
    registration("register, exclude list of 40", Wishes(excluded: Lists.forty)),
    registration("register, exclude list of 40 looked through", Wishes(excluded: Lists.forty), key: Keys.small),
    registration(
      "register, exclude list of 40 looked through under a PIN",
      Wishes(verification: "required", excluded: Lists.forty), key: Keys.smallWithPIN),
    registration("register, excluded", Wishes(excluded: Lists.fortyAndHeld)),
    registration("register, excluded, looked through", Wishes(excluded: Lists.fortyAndHeld), key: Keys.small),
    Ceremony(
      name: "register after a cancelled one", key: Keys.plain { $0.presence = .after(.milliseconds(800)) },
      task: .registration(Wishes().registration), run: { await $0.registerAfterCancelling() }),
  ]

  static func registration(
    _ name: String, _ wishes: Wishes = Wishes(), key: VirtualKeyConfiguration = VirtualKeyConfiguration(),
    past: VirtualKeyState? = UsedKey.shared.state, timeout: Duration = .seconds(15), types pin: String = Keys.thePIN
  ) -> Ceremony {
    Ceremony(
      name: name, key: key, task: .registration(wishes.registration), past: past, pin: pin, timeout: timeout
    ) { bench in
      await bench.register(wishes.json, origin: Wishes.origin)
    }
  }
}

/// What a relying party asks for.
struct Wishes: Sendable {
  var residentKey = "discouraged"
  var verification = "discouraged"
  var excluded: [[UInt8]] = []
  var isU2F = false

  static let rpID = "bank.example"
  static let origin = "https://bank.example"
  static let challenge = [UInt8](0..<32)

  var registration: Assignment.Registration {
    Assignment.Registration(
      rpID: Self.rpID, origin: Self.origin, challenge: Self.challenge, algorithms: [-7],
      isResident: residentKey == "required", demandsVerification: verification == "required",
      isU2F: isU2F)
  }

  var json: String {
    let list = excluded.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))"}"# }.joined(separator: ",")
    return """
      {"rp":{"id":"\(Self.rpID)","name":"Bank"},"user":{"id":"dXNlci1udW1iZXItMQ","name":"alice","displayName":"Alice"},
      "challenge":"\(Base64URL.encode(Self.challenge))","pubKeyCredParams":[{"type":"public-key","alg":-7}],
      "attestation":"direct","excludeCredentials":[\(list)],
      "authenticatorSelection":{"residentKey":"\(residentKey)","userVerification":"\(verification)"}}
      """
  }
}

/// The exclude lists.
enum Lists {
  /// Credentials that no key has.
  static let forty = (0..<40).map { number in (0..<64).map { UInt8(truncatingIfNeeded: $0 * 7 + number * 31) } }

  /// The same, and the one that the key has.
  static let fortyAndHeld = Array(forty[..<20]) + [UsedKey.shared.credentialID] + Array(forty[20...])
}

extension Bench {
  /// Cancels a registration while the key waits for a touch, and does another one on the same channel.
  func registerAfterCancelling() async -> HostReport.Outcome {
    session { session, wait throws(CTAP2Error) in
      let cancellation = Cancellation()
      var first = Wait(deadline: wait.deadline, cancellation: cancellation)
      first.onKeepAlive = { if $0 == .userPresenceNeeded { cancellation.cancel() } }
      do throws(CTAP2Error) {
        _ = try session.makeCredential(request([9, 9, 9]), token: nil, first)
      } catch {
        guard error.isCancellation, !error.mayHaveCreated else { throw error }
      }
      let response = try session.makeCredential(request(Wishes.challenge), token: nil, wait)
      return .registration(
        HostReport.Response(
          credentialID: response.authData.attestedCredential?.credentialID ?? [],
          clientDataJSON: clientData(Wishes.challenge),
          attestationObject: AttestationObject(response).cbor().encoded(), transports: []))
    }
  }

  private func clientData(_ challenge: [UInt8]) -> [UInt8] {
    Array(
      #"{"type":"webauthn.create","challenge":"\#(Base64URL.encode(challenge))","origin":"\#(Wishes.origin)"}"#.utf8)
  }

  private func request(_ challenge: [UInt8]) -> MakeCredentialRequest {
    MakeCredentialRequest(
      clientDataHash: Digest.sha256(clientData(challenge)), rp: RelyingPartyEntity(id: Wishes.rpID, name: "Bank"),
      user: UserEntity(id: [1, 2, 3], name: "alice", displayName: "Alice"),
      pubKeyCredParams: [CredentialParameters(algorithm: -7)])
  }
}
