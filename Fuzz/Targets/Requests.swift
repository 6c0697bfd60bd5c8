import BridgeTestSupport
import CTAP2
import CTAPHID
import CTAPMessages
import Dispatch
import Octets
import ThalesExtensions
import Timing
import VirtualKey
import WebAuthnClient

extension FuzzTarget {
  /// Requests as JSON, to the end of the ceremony on a virtual key where they are requests.
  static let requests = [
    FuzzTarget("registration-request", request), FuzzTarget("registration-ceremony", registration),
    FuzzTarget("sign-in-request", signIn),
    FuzzTarget("origin", origin), FuzzTarget("metadata", metadata),
  ]

  /// Requests alone, which is far faster than what follows from them.
  private static func request(_ bytes: [UInt8]) { _ = try? CreationOptions(parsing: bytes) }

  private static func registration(_ bytes: [UInt8]) {
    guard let creation = try? CreationOptions(parsing: bytes), let origin = try? Origin("https://example.org") else {
      return
    }
    waitFor {
      guard let client = client() else { return }
      var options = CeremonyOptions()
      options.waitsForKey = false
      guard let response = try? await client.register(creation, origin: origin, options: options) else { return }
      mustHold((try? CreationOptions(parsing: bytes)) != nil && !response.json().isEmpty, "there is no response")
    }
  }

  private static func signIn(_ bytes: [UInt8]) {
    guard let request = try? AuthenticationOptions(parsing: bytes), let origin = try? Origin("https://example.org")
    else { return }
    waitFor {
      guard let client = client() else { return }
      var options = CeremonyOptions()
      options.waitsForKey = false
      _ = try? await client.authenticate(request, origin: origin, options: options)
    }
  }

  private static func client() -> SecurityKeyClient? {
    let clock = ManualClock()
    guard
      let port = try? VirtualKeyPort(
        configuration: VirtualKeyConfiguration(), store: MemoryStore(usedKey), clock: clock,
        random: SeededRandom(seed: 7))
    else { return nil }
    return SecurityKeyClient(
      keySource: VirtualKeySource(port), extensions: StandardExtensions.all + ThalesClientExtensions.all, clock: clock,
      random: SeededRandom(seed: 9))
  }

  /// The state of a key that has made its attestation certificate, which takes longer than all the rest.
  private static let usedKey: VirtualKeyState? = {
    let (clock, store) = (ManualClock(), MemoryStore())
    guard let port = try? VirtualKeyPort(store: store, clock: clock, random: SeededRandom(seed: 7)) else { return nil }
    let session = KeySession(transport: port.transport(), clock: clock, random: SeededRandom(seed: 8))
    let wait = Wait(deadline: clock.now + .seconds(5))
    try? session.open(wait)
    _ = try? session.makeCredential(
      MakeCredentialRequest(
        clientDataHash: [UInt8](repeating: 0, count: 32), rp: RelyingPartyEntity(id: "example.org", name: "A"),
        user: UserEntity(id: [1], name: "a"), pubKeyCredParams: [CredentialParameters(algorithm: -7)],
        options: RequestOptions(rk: true)), token: nil, wait)
    session.close()
    return store.load()
  }()

  /// The fuzzer calls from the main thread, which waits for the ceremony on others.
  private static func waitFor(_ body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await body()
      done.signal()
    }
    done.wait()
  }

  private static func origin(_ bytes: [UInt8]) {
    guard let origin = try? Origin(String(decoding: bytes, as: UTF8.self)) else { return }
    mustHold((try? Origin(origin.serialized)) == origin, "\(origin.serialized) is another origin")
    _ = try? RelyingPartyID.resolve("example.org", origin: origin)
    _ = try? RelyingPartyID.resolve(String(decoding: bytes.suffix(12), as: UTF8.self), origin: origin)
  }

  private static func metadata(_ bytes: [UInt8]) {
    _ = try? MetadataStatements(parsing: bytes)
    _ = PlainText.shown(String(decoding: bytes, as: UTF8.self))
  }
}
