import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Timing

@testable import CTAP2

extension FuzzTarget {
  /// Whole conversations with a key whose answers are the input's pieces; after the last one it says 0x2E to everything.
  static let sessions = [
    session("session-registration") { session, wait in
      _ = try? session.createCredential(
        MakeCredentialRequest(
          clientDataHash: hash, rp: RelyingPartyEntity(id: "example.org", name: "X"),
          user: UserEntity(id: [1], name: "a", displayName: "A"),
          pubKeyCredParams: [CredentialParameters(algorithm: -7)],
          excludeList: (0..<3).map { CredentialDescriptor(id: [UInt8($0)]) }), token: nil, wait)
    },
    session("session-sign-in") { session, wait in
      _ = try? session.getAllAssertions(
        GetAssertionRequest(rpID: "example.org", clientDataHash: hash), token: nil, wait)
    },
    session("session-credentials") { session, wait in
      _ = try? session.credentials(token, wait)
      _ = try? session.credentialMetadata(token, wait)
    },
    session("session-fingerprints") { session, wait in
      _ = try? session.fingerprintSensor(wait)
      _ = try? session.fingerprints(token, wait)
      _ = try? session.enrollFingerprint(token, wait)
    },
    session("session-large-blobs") { session, wait in
      guard let cipher = try? LargeBlobCipher(key: SecretBytes([UInt8](repeating: 7, count: 32))) else { return }
      _ = try? session.largeBlobs(wait).blob(under: cipher)?.expanded()
      _ = try? session.setLargeBlob([1, 2, 3], under: cipher, token, wait)
      _ = try? session.deleteLargeBlob(under: cipher, token, wait)
    },
    session("session-pin") { session, wait in
      _ = try? session.pinRetries(wait)
      _ = try? session.token(pin: SecretBytes(Array("1234".utf8)), permissions: .getAssertion, rpID: "a", wait)
      _ = try? session.setPIN(SecretBytes(Array("1234".utf8)), wait)
    },
  ]

  private static let hash = [UInt8](repeating: 5, count: 32)
  private static let token = PINUVAuthToken(
    SecretBytes([UInt8](repeating: 9, count: 32)), version: .two, permissions: .credentialManagement, rpID: nil)

  private static func session(
    _ name: String, _ talk: @escaping @Sendable (KeySession, Wait) -> Void
  ) -> FuzzTarget {
    FuzzTarget(name) { bytes in
      let clock = ManualClock()
      var answers = Pieces(bytes)
      var info = GetInfoResponse(versions: ["FIDO_2_0", "FIDO_2_1"], aaguid: .zero)
      info.options = [
        "rk": true, "credMgmt": true, "bioEnroll": true, "clientPin": true, "pinUvAuthToken": true,
        "largeBlobs": true,
      ]
      info.pinUvAuthProtocols = [2, 1]
      info.maxCredentialCountInList = 2
      var isFirst = true
      let device = KeyDevice(configuration: KeyDevice.Configuration(), random: SeededRandom(seed: 7))
      let transport = DeviceTransport(device: device, clock: clock) { _, payload in
        // An empty first piece leaves getInfo to an ordinary key, so that the input needs not spell it.
        if payload == [CTAPCommand.getInfo.rawValue], isFirst {
          isFirst = false
          if let answer = answers.next(), !answer.isEmpty { return .answer(answer) }
          return .answer(CTAPResponse.encode(info))
        }
        return .answer(answers.next() ?? [CTAPStatus.noCredentials.rawValue])
      }
      let session = KeySession(transport: transport, clock: clock, random: SeededRandom(seed: 3))
      let wait = Wait(deadline: clock.now + .seconds(60))
      guard (try? session.open(wait)) != nil else { return }
      talk(session, wait)
      session.close()
      mustHold(clock.now.since(wait.deadline) <= .seconds(60), "the deadline was missed by far")
    }
  }
}
