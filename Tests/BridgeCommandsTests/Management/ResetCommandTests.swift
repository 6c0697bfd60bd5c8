import CTAPMessages
import JSONText
import Synchronization
import Testing
import Timing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("reset")
struct ResetCommandTests {
  /// Runs a reset, with `replug` in place of the person once the key is to be pulled out.
  private static func reset(
    _ desk: KeyDesk, _ words: [String] = ["--yes"], replug: @escaping @Sendable () -> Void
  ) async -> InProcess.Ending {
    var process = InProcess(usb: desk.source)
    process.onNote = { if $0.hasPrefix("Pull the key out now and plug it in again") { replug() } }
    return await process.run(["reset", "--key", "desk"] + words)
  }

  private static func replug(_ desk: KeyDesk, at place: String = "desk") -> @Sendable () -> Void {
    let (source, port) = (desk.source, desk.port)
    return {
      source.unplug(id: "desk")
      source.plug(port, id: place)
    }
  }

  private static func wasErased(_ port: VirtualKeyPort) -> Bool { port.log.contains { $0.event == .wasReset } }

  @Test("says what will be lost with counts, waits for the key to come back, at another place too, and erases it")
  func whole() async throws {
    let desk = try KeyDesk {
      $0.profile.info.options?[.bioEnroll] = false
      $0.profile.info.options?[.uv] = false
    }
    for user in ["alice", "bob"] { try await desk.register(user: user) }
    try await desk.done("fingerprints", "add", "--name", "Thumb")
    let ending = await Self.reset(
      desk, ["--yes", "--pin-file", desk.scratch["pin"], "--json"], replug: Self.replug(desk, at: "elsewhere"))
    #expect(ending.status == .success, "\(ending.error)")
    #expect(
      ending.error.contains(
        "A reset erases 2 discoverable credentials, 1 fingerprint, the PIN and the key's settings and stored data, for "
          + "good."))
    #expect(ending.error.contains("Then touch it when it blinks, within 10 s of plugging it in.\n"))
    #expect(ending.error.contains("It is out; plug it in again.\n"))
    let json = try JSONDocument(parsing: Array(ending.output.utf8)).root
    #expect(json.members?.map(\.name) == ["reset", "lost"] && json["reset"]?.boolValue == true)
    #expect(json["lost"]?.members?.map(\.name) == ["pin", "credentials", "fingerprints"])
    #expect(json["lost"]?["pin"]?.boolValue == true && json["lost"]?["credentials"]?.integerValue == 2)
    #expect(json["lost"]?["fingerprints"]?.integerValue == 1)
    let state = try desk.state
    #expect(state.credentials.isEmpty && state.fingerprints.isEmpty && state.pin == nil)
    #expect(desk.tokens.last?.permissions == [.credentialManagement, .bioEnrollment])
  }

  @Test("without the PIN the counts are not known, and the key is erased all the same")
  func withoutPIN() async throws {
    let desk = try KeyDesk()
    try await desk.register(user: "alice")
    let ending = await Self.reset(desk, replug: Self.replug(desk))
    #expect(ending.status == .success && ending.output.isEmpty, "\(ending.error)")
    #expect(ending.error.contains("every discoverable credential (how many is not known), the PIN and"))
    #expect(ending.error.hasSuffix("The key was erased; it is as new now.\n"))
    #expect(try desk.state.credentials.isEmpty)
  }

  @Test("a wrong PIN in a file ends it before anything is asked, with one try fewer; a blocked one is no obstacle")
  func wrongPIN() async throws {
    let desk = try KeyDesk()
    try desk.scratch.write("wrong", "0000\n")
    let wrong = await Self.reset(desk, ["--yes", "--pin-file", desk.scratch["wrong"]]) {}
    #expect(wrong.status == .pin && !Self.wasErased(desk.port))
    #expect(try desk.state.pinRetries == 7)
    var blocked = try desk.state
    blocked.pinRetries = 0
    let other = try KeyDesk(state: blocked)
    let ending = await Self.reset(other, replug: Self.replug(other))
    #expect(ending.status == .success && Self.wasErased(other.port), "\(ending.error)")
  }

  @Test("nothing is erased without a yes, and --yes counts only for a key that is named")
  func unconfirmed() async throws {
    let desk = try KeyDesk()
    let unsaid = await Self.reset(desk, []) {}
    #expect(unsaid.status == .declined && unsaid.error.contains("add --yes where it is meant"), "\(unsaid.error)")
    #expect(unsaid.error.contains("A reset erases every discoverable credential"))
    let unnamed = await InProcess(usb: desk.source).run("reset", "--yes")
    #expect(unnamed.status == .usage && unnamed.error.contains("--yes erases only a key that --key names."))
    #expect(!Self.wasErased(desk.port))
  }

  @Test("the wait for a key that is not plugged in anew ends with the time, at once where that is up already")
  func notReplugged() async throws {
    let desk = try KeyDesk()
    let environment = CommandEnvironment(usb: desk.source, output: { _ in }, note: { _ in })
    let replug = Replug(
      source: desk.source, key: try #require(try desk.source.keys().first), deadline: SystemClock().now,
      replugVirtual: nil)
    let error = await #expect(throws: CommandFailure.self) { _ = try await replug.wait(environment) {} }
    #expect(error?.status == .tryAgain)
    #expect(error?.reason.contains("not pulled out and plugged in again in time; nothing was erased.") == true)
  }

  @Test("another key that comes meanwhile is left alone, and told")
  func otherKey() async throws {
    let desk = try KeyDesk()
    var configuration = VirtualKeyConfiguration()
    configuration.identity.serialNumber = "OTHER"
    let other = try VirtualKeyPort(configuration: configuration)
    let (source, port) = (desk.source, desk.port)
    let ending = await Self.reset(desk) {
      source.unplug(id: "desk")
      source.plug(other, id: "desk")
      source.plug(port, id: "elsewhere")
    }
    #expect(ending.status == .success && Self.wasErased(port) && !Self.wasErased(other), "\(ending.error)")
    #expect(ending.error.contains("is another key; it is left alone."))
  }

  @Test("a key of another model that looks the same on the bus is not erased")
  func otherModel() async throws {
    let desk = try KeyDesk()
    var configuration = VirtualKeyConfiguration()
    configuration.profile.info.aaguid = .zero
    let other = try VirtualKeyPort(configuration: configuration)
    let source = desk.source
    let ending = await Self.reset(desk) {
      source.unplug(id: "desk")
      source.plug(other, id: "desk")
    }
    #expect(ending.status == .unavailable && ending.error.contains("another model; nothing was erased"))
    #expect(!Self.wasErased(other))
  }

  @Test("a key of the same model that is set up otherwise is not erased")
  func otherSettings() async throws {
    let desk = try KeyDesk()
    var configuration = VirtualKeyConfiguration()
    configuration.profile.info.firmwareVersion = 99
    let other = try VirtualKeyPort(configuration: configuration)
    let source = desk.source
    let ending = await Self.reset(desk) {
      source.unplug(id: "desk")
      source.plug(other, id: "desk")
    }
    #expect(ending.status == .unavailable && ending.error.contains("it is another one; nothing was erased"))
    #expect(!Self.wasErased(other))
  }

  @Test(
    "a program has to answer with the key's name, and is told to have the key plugged in anew",
    arguments: [true, false])
  func program(isMeant: Bool) async throws {
    let desk = try KeyDesk()
    let replug = Self.replug(desk)
    let phrase = Mutex<String?>(nil)
    let ending = try await Drive(usb: desk.source).run(["reset", "--key", "desk"]) { event in
      switch event.name {
      case "pinNeeded": return .write(event.answer("null"))
      case "confirmationNeeded":
        phrase.withLock { $0 = event["phrase"]?.stringValue }
        return .write(event.answer(isMeant ? #""Virtual Key""# : "false"))
      case "replugNeeded":
        replug()
        return .nothing
      default: return .nothing
      }
    }
    #expect(phrase.withLock { $0 } == "Virtual Key")
    #expect(ending.status == (isMeant ? .success : .declined), "\(ending.lines)")
    #expect(Self.wasErased(desk.port) == isMeant)
    #expect(try ending.names.contains("replugNeeded") == isMeant)
  }

  @Test("a key that is not touched in time is not erased")
  func untouched() async throws {
    let desk = try KeyDesk {
      $0.presence = .never
      $0.touchTimeout = TouchTimeout(after: .milliseconds(50))
    }
    let ending = await Self.reset(desk, replug: Self.replug(desk))
    #expect(ending.status == .tryAgain && !Self.wasErased(desk.port), "\(ending.error)")
    #expect(ending.error.contains("Touch your key now: CTAPBridge Virtual Key (virtual)."))
  }

  @Test("a key that wants a long touch is told of, and one that can't be erased over USB is refused first")
  func kinds() async throws {
    let long = try KeyDesk { $0.profile.info.longTouchForReset = true }
    let ending = await Self.reset(long, replug: Self.replug(long))
    #expect(ending.status == .success && ending.error.contains("This key wants a long touch"), "\(ending.error)")
    let wireless = try KeyDesk { $0.profile.info.transportsForReset = ["nfc"] }
    let refused = await Self.reset(wireless, replug: Self.replug(wireless))
    #expect(refused.status == .unavailable && refused.error.contains("can't be erased over USB, only over nfc."))
    #expect(!refused.error.contains("Pull the key out"))
  }

  @Test("where the answer is lost, the status is 14, and nothing is sent again")
  func lost() async throws {
    let desk = try KeyDesk { $0.faults = FaultPlan([.answer(0x07, .lost)]) }
    let ending = await Self.reset(desk, replug: Self.replug(desk))
    #expect(ending.status == .uncertain, "\(ending.error)")
    #expect(desk.requests(.reset) == 1 && Self.wasErased(desk.port))
  }
}
