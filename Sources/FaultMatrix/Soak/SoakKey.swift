internal import BridgeTestSupport
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Octets
internal import Timing
internal import VirtualKey

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The one key of a soak: its state is in a file, and it is plugged in again from time to time.
final class SoakKey {
  let clock = ManualClock()
  private(set) var port: VirtualKeyPort
  private let store: FileStore
  private let folder: String

  static let configuration = Keys.plain { key in
    key.pin = SecretBytes(Array(Keys.thePIN.utf8))
    key.profile.info.remainingDiscoverableCredentials = 1000
  }

  init() throws(VirtualKeyStoreError) {
    folder = try Self.makeFolder()
    store = FileStore(path: folder + "/key")
    port = try VirtualKeyPort(
      configuration: Self.configuration, store: store, clock: clock, random: SeededRandom(seed: 1))
  }

  /// Makes a folder, in memory where the system has a place for that: every ceremony syncs the file more than once.
  private static func makeFolder() throws(VirtualKeyStoreError) -> String {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array((parent + "/soak-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .system(operation: "mkdtemp", path: parent, code: errno, message: String(cString: strerror(errno)))
    }
    return String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in ["/key", "/key.lock"] { unlink(folder + name) }
    rmdir(folder)
  }

  /// Pulls the key out and plugs it in: what happens to it from here on is decided by the seed.
  func replug(seed: UInt64) throws(VirtualKeyStoreError) {
    port = try VirtualKeyPort(
      configuration: Self.configuration, store: store, clock: clock, random: SeededRandom(seed: seed))
  }

  /// A key that will do exactly what this one does after `replug` with the same seed, in memory and at a time of its own.
  func twin(seed: UInt64) throws(VirtualKeyStoreError) -> (port: VirtualKeyPort, clock: ManualClock) {
    let clock = ManualClock(clock.now)
    let port = try VirtualKeyPort(
      configuration: Self.configuration, store: MemoryStore(try store.load()), clock: clock,
      random: SeededRandom(seed: seed))
    return (port, clock)
  }

  /// The discoverable credentials for an RP ID, as the key itself tells them.
  func discoverable(_ rpID: String) throws(CTAP2Error) -> Set<[UInt8]> {
    let session = KeySession(transport: port.transport(), clock: clock, random: SeededRandom(seed: 3))
    defer { session.close() }
    let wait = Wait(deadline: clock.now + .seconds(30))
    try session.open(wait)
    let request = GetAssertionRequest(rpID: rpID, clientDataHash: [UInt8](repeating: 0, count: 32))
    let first: GetAssertionResponse
    do throws(CTAP2Error) {
      first = try session.getAssertion(request, token: nil, wait)
    } catch {
      if error.status == .noCredentials { return [] }
      throw error
    }
    var answers = [first]
    for _ in 1..<max(1, first.numberOfCredentials ?? 1) {
      answers.append(try session.getNextAssertion(rpID: rpID, wait))
    }
    return Set(answers.compactMap { $0.credential?.id })
  }
}
