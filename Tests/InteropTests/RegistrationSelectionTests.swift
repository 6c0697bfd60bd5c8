import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Synchronization
import Testing
import Timing
import VirtualKey
import WebAuthnClient

struct RegistrationSelectionTests {
  // Several keys run on several threads, so the clock that all of them see has to be a real one.
  private func desk(_ person: Person = Person()) -> Desk { Desk(person, clock: SystemClock()) }

  private var touched: PresencePolicy { .ask { $0.approve() } }

  /// A touch that comes once other keys blink too, or did.
  private func touched(after others: [VirtualKeyPort]) -> PresencePolicy {
    .ask { touch in
      Task {
        while !others.allSatisfy({ key in key.count { if case .touchAsked = $0 { true } else { false } } > 0 }) {
          try await Task.sleep(for: .milliseconds(2))
        }
        touch.approve()
      }
    }
  }

  private func named(_ product: String, presence: PresencePolicy, _ edit: (inout GetInfoResponse) -> Void = { _ in })
    -> VirtualKeyConfiguration
  {
    var configuration = VirtualKeyConfiguration.with(presence: presence, edit)
    configuration.identity.product = product
    configuration.identity.serialNumber = "S-" + product
    return configuration
  }

  @Test("with several keys all blink, the one that is touched is used and the others go dark")
  func touchToSelect() async throws {
    let desk = desk()
    let left = try desk.key("left", named("Left", presence: .never))
    let other = try desk.key("other", named("Other", presence: .never))
    let right = try desk.key("right", named("Right", presence: touched(after: [left, other])))
    let response = try await desk.register(request())
    #expect(response.authenticator.key.id == "right")
    #expect(desk.person.heard.contains("touch one of left,other,right"))
    #expect(desk.person.heard.contains("selected right"))
    #expect(right.commands == [.getInfo, .selection, .makeCredential])
    for key in [left, other] {
      #expect(key.commands == [.getInfo, .selection])
      #expect(key.count { $0 == .cancelled(CTAPCommand.selection.rawValue) } == 1)
      #expect(!key.isWaitingForTouch)
      #expect(key.credentials.isEmpty)
    }
  }

  @Test("a key older than CTAP 2.1 can be chosen by touch too")
  func oldKey() async throws {
    let desk = desk()
    let old = try desk.key(
      "old",
      named("Old", presence: touched) { info in
        info.versions = ["FIDO_2_0"]
        info.options = ["rk": true, "clientPin": false]
      })
    try desk.key("new", named("New", presence: .never))
    _ = try await desk.register(request())
    #expect(old.commands == [.getInfo, .makeCredential, .makeCredential])
    #expect(old.credentials.count == 1)
  }

  @Test("a key that is plugged in while others blink joins them")
  func arrival() async throws {
    let source = Mutex<VirtualKeySource?>(nil)
    let late = Mutex<VirtualKeyPort?>(nil)
    let desk = desk(
      Person(onEvent: { event in
        guard event == "touch one of a,b", let key = late.withLock({ $0 }) else { return }
        source.withLock { $0 }?.plug(key, id: "c")
      }))
    source.withLock { $0 = desk.source }
    try desk.key("a", named("A", presence: .never))
    try desk.key("b", named("B", presence: .never))
    let key = try desk.key("c", named("C", presence: touched), plugged: false)
    late.withLock { $0 = key }
    #expect(try await desk.register(request()).authenticator.key.id == "c")
    #expect(desk.person.heard.contains("touch one of a,b,c"))
  }

  @Test("a key that is pulled out leaves the others blinking")
  func removal() async throws {
    let desk = desk()
    let source = desk.source
    try desk.key("a", named("A", presence: .ask { _ in Task { source.unplug(id: "a") } }))
    let left = try desk.key("b", named("B", presence: .never))
    let registration = Task { try await desk.register(request()) }
    // The key is touched when it waits and the other one is gone, and again for the credential.
    while left.credentials.isEmpty {
      if left.isWaitingForTouch, desk.person.heard.contains("removed a") { left.touch() }
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(try await registration.value.authenticator.key.id == "b")
  }

  @Test("without a key one is waited for, and the first that suits is used without being chosen")
  func plugInLater() async throws {
    let source = Mutex<VirtualKeySource?>(nil)
    let late = Mutex<[VirtualKeyPort]>([])
    let desk = desk(
      Person(onEvent: { event in
        let keys = late.withLock { $0 }
        if event == "waiting" && keys.count == 2 {
          late.withLock { $0 = [keys[1]] }
          source.withLock { $0 }?.plug(keys[0], id: "poor")
        } else if event == "waiting" {
          source.withLock { $0 }?.plug(keys[0], id: "good")
        }
      }))
    source.withLock { $0 = desk.source }
    let poor = try desk.key("poor", named("Poor", presence: .auto) { $0.options?["rk"] = false }, plugged: false)
    let good = try desk.key("good", named("Good", presence: .auto), plugged: false)
    late.withLock { $0 = [poor, good] }
    let response = try await desk.register(request(residentKey: "required"))
    #expect(response.authenticator.key.id == "good")
    #expect(
      desk.person.heard == [
        "waiting", "found poor", "skipped poor: it cannot store discoverable credentials", "waiting", "found good",
        "selected good",
      ])
    #expect(good.commands == [.getInfo, .makeCredential])
  }

  @Test("an unsuitable key is skipped, and the only one that suits is used without being chosen")
  func oneSuits() async throws {
    let desk = desk()
    let poor = try desk.key("poor", named("Poor", presence: .auto) { $0.options?["rk"] = false })
    try desk.key("good", named("Good", presence: .auto))
    #expect(try await desk.register(request(residentKey: "required")).authenticator.key.id == "good")
    #expect(poor.commands == [.getInfo])
    #expect(desk.person.heard.contains("skipped poor: it cannot store discoverable credentials"))
  }

  @Test("nothing is waited for where the caller or the room does not allow it")
  func noWait() async throws {
    for (waits, attended) in [(false, true), (true, false)] {
      var desk = Desk(Person(attended: attended))
      desk.options.waitsForKey = waits
      let none = try await desk.failure()
      #expect(none.name == .notAllowedError)
      #expect(none.kind == .noSuitableKey)
      #expect(none.reason == "No security key is plugged in.")
      try desk.key("poor", .with { $0.options?["rk"] = false })
      let unsuitable = try await desk.failure(request(residentKey: "required"))
      #expect(unsuitable.kind == .noSuitableKey)
      #expect(unsuitable.reason.contains("cannot store discoverable credentials"))
      var two = self.desk(Person(attended: attended))
      two.options.waitsForKey = waits
      for id in ["a", "b"] { try two.key(id, .with { $0.options?["rk"] = false }) }
      #expect(try await two.failure(request(residentKey: "required")).kind == .noSuitableKey)
      #expect(!two.person.heard.contains("waiting"))
    }
  }

  @Test("a wait without a key that suits ends at the deadline, with what was skipped")
  func waitEnds() async throws {
    let clock = ManualClock()
    let desk = Desk(Person(onEvent: { if $0 == "waiting" { clock.advance(by: .seconds(400)) } }), clock: clock)
    try desk.key("poor", .with { $0.options?["rk"] = false })
    let error = try await desk.failure(request(residentKey: "required"))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .timedOut)
    #expect(error.reason.contains("cannot store discoverable credentials"))
    let empty = Desk(Person(onEvent: { if $0 == "waiting" { clock.advance(by: .seconds(400)) } }), clock: clock)
    #expect(try await empty.failure().reason.contains("No security key was plugged in"))
  }

  @Test("keys that nobody touches are given up at the deadline")
  func nobodyTouches() async throws {
    let clock = ShiftedClock()
    let desk = Desk(Person(onEvent: { if $0 == "touch one of a,b" { clock.shift(by: .seconds(301)) } }), clock: clock)
    let keys = [try desk.key("a", named("A", presence: .never)), try desk.key("b", named("B", presence: .never))]
    let error = try await desk.failure()
    #expect(error.kind == .timedOut)
    #expect(error.reason.contains("No key was touched"), "\(error.reason)")
    for key in keys { #expect(!key.isWaitingForTouch) }
  }

  @Test("where no key could ever serve it ends at once, before any key is opened")
  func inVain() async throws {
    let desk = Desk()
    let key = try desk.key()
    let syncable = try await desk.failure(request(extensions: #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#))
    #expect(syncable.kind == .noSuitableKey)
    #expect(syncable.reason.contains("client type 1"))
    let builtIn = try await desk.failure(
      request().replacing(#""residentKey""#, with: #""authenticatorAttachment":"platform","residentKey""#))
    #expect(builtIn.kind == .noSuitableKey)
    #expect(key.transactions == 0)
  }

  @Test("a key is named by its path or its serial number, and the others stay dark")
  func namedKey() async throws {
    for name in ["b", "S-B"] {
      var desk = Desk()
      let other = try desk.key("a", named("A", presence: .auto))
      try desk.key("b", named("B", presence: .auto))
      desk.options.key = .named(name)
      #expect(try await desk.register(request()).authenticator.key.id == "b")
      #expect(other.transactions == 0)
    }
  }

  @Test("a name that no key or two keys have ends it at once")
  func unknownName() async throws {
    var desk = Desk()
    desk.options.key = .named("/dev/hidraw9")
    #expect(try await desk.failure().kind == .keyNotFound)
    for id in ["a", "b"] { try desk.key(id, named("Twin", presence: .auto)) }
    let unknown = try await desk.failure()
    #expect(unknown.kind == .keyNotFound)
    #expect(unknown.reason.contains("a, b"))
    desk.options.key = .named("S-Twin")
    #expect(try await desk.failure().reason.contains("More than one"))
  }

  @Test("a named key that does not suit ends it at once")
  func unsuitableName() async throws {
    var desk = Desk()
    try desk.key("a", .with { $0.options?["rk"] = false })
    try desk.key("b")
    desk.options.key = .named("a")
    let error = try await desk.failure(request(residentKey: "required"))
    #expect(error.kind == .noSuitableKey)
    #expect(error.reason.contains("cannot store discoverable credentials"))
  }

  @Test("a key that cannot be opened is skipped with the reason, and named it ends the ceremony")
  func obstacles() async throws {
    for (obstacle, words) in [(KeyObstacle.permission, "udev"), (.unsuitable("its reports are odd"), "odd")] {
      let source = BarredSource(obstacle)
      let person = Person()
      var options = CeremonyOptions(waitsForKey: false)
      for choice in [CeremonyOptions.KeyChoice.any, .named("barred")] {
        options.key = choice
        let client = SecurityKeyClient(keySource: source, interaction: person, clock: ManualClock())
        do {
          _ = try await client.register(
            optionsJSON: Array(request().utf8), origin: try Origin("https://example.org"), options: options)
          Issue.record("it was used")
        } catch {
          #expect(error.name == .notAllowedError)
          #expect(error.reason.contains(words))
        }
      }
      #expect(person.heard.contains { $0.hasPrefix("skipped barred") })
    }
  }

  @Test("keys that cannot be listed are an error of their own")
  func unlisted() async throws {
    let client = SecurityKeyClient(keySource: BarredSource(nil), clock: ManualClock())
    do {
      _ = try await client.register(optionsJSON: Array(request().utf8), origin: try Origin("https://example.org"))
      Issue.record("it went on")
    } catch {
      #expect(error.kind == .communication)
    }
  }
}

/// A source with one key that cannot be opened, or one that cannot even list.
struct BarredSource: KeySource {
  let obstacle: KeyObstacle?
  let changes: AsyncStream<KeyEvent>

  init(_ obstacle: KeyObstacle?, events: AsyncStream<KeyEvent> = AsyncStream { $0.finish() }) {
    self.obstacle = obstacle
    changes = events
  }

  func keys() throws(TransportError) -> [KeyDescription] {
    guard let obstacle else { throw .failed(operation: "listing", code: 5, message: "broken") }
    return [KeyDescription(id: "barred", vendorID: 1, productID: 1, obstacle: obstacle)]
  }

  func events() -> AsyncStream<KeyEvent> { changes }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    throw .permissionDenied(key.id)
  }
}

/// The machine's clock, which a test can put forward.
final class ShiftedClock: MonotonicClock {
  private let shift = Mutex(Duration.zero)

  var now: Instant { SystemClock().now + shift.withLock { $0 } }

  func sleep(until instant: Instant) {
    SystemClock().sleep(until: SystemClock().now + instant.since(now))
  }

  func shift(by duration: Duration) { shift.withLock { $0 += duration } }
}
