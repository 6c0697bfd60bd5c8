import BridgeTestSupport
import CTAPHID
import Synchronization
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// Keys that are not used for now: how often that is told, and what brings them back.
struct RegistrationSkippedKeyTests {
  // Several keys run on several threads, so the clock that all of them see has to be a real one.
  private func desk(_ person: Person) -> Desk { Desk(person, clock: SystemClock()) }

  @Test("a key that cannot be opened is told of once for as long as it is there, and again when it comes back")
  func toldOnce() async throws {
    let (events, feed) = AsyncStream.makeStream(of: KeyEvent.self)
    let key = KeyDescription(id: "barred", vendorID: 1, productID: 1, obstacle: .permission)
    let clock = ManualClock()
    let told = Mutex(0)
    let person = Person(onEvent: { event in
      if event == "waiting" {
        // The same key with the same rights is announced again, pulled out and plugged in.
        for change in [KeyEvent.arrived(key), .removed(key.id), .arrived(key)] { feed.yield(change) }
      } else if event.hasPrefix("skipped"),
        told.withLock({
          $0 += 1; return $0
        }) == 2
      {
        clock.advance(by: .seconds(400))
      }
    })
    let client = SecurityKeyClient(
      keySource: BarredSource(.permission, events: events), interaction: person, clock: clock)
    await #expect(throws: WebAuthnError.self) {
      _ = try await client.register(optionsJSON: Array(request().utf8), origin: try Origin("https://example.org"))
    }
    #expect(person.heard.count { $0.hasPrefix("skipped barred") } == 2)
  }

  @Test("a key that another program held is used when that lets go of it", arguments: [1, 3])
  func letGo(refusals: Int) async throws {
    let person = Person()
    let desk = desk(person)
    let key = try desk.key("held", .with(presence: .auto))
    let source = HeldSource(source: desk.source, refusals: refusals)
    let client = SecurityKeyClient(keySource: source, interaction: person, clock: desk.clock)
    let response = try await client.register(
      optionsJSON: Array(request().utf8), origin: try Origin("https://example.org"))
    #expect(response.authenticator.key.id == "held")
    #expect(key.credentials.count == 1)
    #expect(
      person.heard == [
        "skipped held: another program is using it", "waiting", "found held", "selected held",
      ])
  }

  @Test("a key that another program held joins those that blink already")
  func letGoLate() async throws {
    let person = Person()
    let desk = desk(person)
    try desk.key("a", .with(presence: .never))
    try desk.key("b", .with(presence: .never))
    try desk.key("held", .with(presence: .ask { $0.approve() }))
    let source = HeldSource(source: desk.source, refusals: 2)
    let client = SecurityKeyClient(keySource: source, interaction: person, clock: desk.clock)
    let response = try await client.register(
      optionsJSON: Array(request().utf8), origin: try Origin("https://example.org"))
    #expect(response.authenticator.key.id == "held")
    #expect(person.heard.count { $0.hasPrefix("skipped held") } == 1)
    #expect(person.heard.contains("touch one of a,b"))
    #expect(person.heard.contains("touch one of a,b,held"))
  }

  @Test("a key that another program holds to the end is the reason that is given")
  func heldToTheEnd() async throws {
    let clock = ShiftedClock()
    let person = Person(onEvent: { if $0 == "waiting" { clock.shift(by: .seconds(400)) } })
    let desk = Desk(person, clock: clock)
    try desk.key("held")
    let client = SecurityKeyClient(
      keySource: HeldSource(source: desk.source, refusals: .max), interaction: person, clock: clock)
    let error = await #expect(throws: WebAuthnError.self) {
      _ = try await client.register(optionsJSON: Array(request().utf8), origin: try Origin("https://example.org"))
    }
    #expect(error?.kind == .timedOut)
    #expect(error?.reason.contains("another program is using it") == true)
  }
}

/// A source whose key "held" another program holds for so many attempts.
private final class HeldSource: KeySource {
  private let source: VirtualKeySource
  private let refusals: Mutex<Int>

  init(source: VirtualKeySource, refusals: Int) {
    self.source = source
    self.refusals = Mutex(refusals)
  }

  func keys() throws(TransportError) -> [KeyDescription] { try source.keys() }

  func events() -> AsyncStream<KeyEvent> { source.events() }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    let isHeld =
      key.id == "held"
      && refusals.withLock { left in
        left -= 1
        return left >= 0
      }
    if isHeld { throw .busy(key.id) }
    return try source.transport(to: key)
  }
}
