import CTAPMessages
import JSONText
import Synchronization
import Testing

@testable import BridgeCommands
@testable import VirtualKey

/// The commands that take a PIN, each of a kind of its own.
enum PINTaker: String, CaseIterable, Sendable {
  case register, authenticate
  case list = "credentials list"
  case change = "pin change"

  /// The command line, with its files in the desk's folder.
  func words(_ desk: KeyDesk) throws -> [String] {
    switch self {
    case .register:
      let request = try desk.scratch.write("creation", Requests.options(Requests.verified))
      return ["register", request, "--origin", Requests.origin, "--no-name"]
    case .authenticate:
      let request = try desk.scratch.write(
        "assertion", #"{"challenge":"AAECAwQFBgc","rpId":"example.org","userVerification":"required"}"#)
      return ["authenticate", request, "--origin", Requests.origin]
    case .list: return ["credentials", "list"]
    case .change: return ["pin", "change", "--new-pin-file", try desk.scratch.write("new", "628491\n")]
    }
  }
}

/// What becomes of one PIN.
struct PINFate: Sendable {
  enum Step: Sendable {
    /// This PIN ends the command with a status and words, and leaves so many tries.
    case pin(String, BridgeCommands.ExitStatus, String, left: Int)
    /// The key is pulled out and plugged in.
    case replug
  }

  static func right(_ pin: String = KeyDesk.pin) -> Step { .pin(pin, .success, "", left: 8) }

  static func wrong(_ pin: String = "0000", left: Int) -> Step {
    .pin(
      pin, .pin, left == 1 ? "the PIN is wrong; one try is left." : "the PIN is wrong; \(left) tries are left.",
      left: left)
  }

  /// A PIN that is not shown to the key.
  static func unusable(_ pin: String, _ words: String) -> Step { .pin(pin, .pin, words, left: 8) }

  static func blockedUntilReplug(_ pin: String = "0000", left: Int) -> Step {
    .pin(pin, .pin, "too many wrong PINs in a row; pull it out, plug it in and try again.", left: left)
  }

  static func blocked(_ pin: String = "0000") -> Step {
    .pin(pin, .pin, "its PIN is blocked; it has to be reset, which deletes its credentials.", left: 0)
  }
}

/// One row of the table: a key's PIN, and the PINs that it is given, one a command.
struct PINStory: Sendable, CustomTestStringConvertible {
  let name: String
  var pin = KeyDesk.pin
  let steps: [PINFate.Step]
  var testDescription: String { name }

  /// A PIN of 63 bytes, the most there are.
  static let longest = String(repeating: "日", count: 21)

  static let all = [
    PINStory(name: "right at once", steps: [PINFate.right()]),
    PINStory(name: "wrong, then right", steps: [PINFate.wrong(left: 7), PINFate.right()]),
    PINStory(
      name: "wrong twice, then right", steps: [PINFate.wrong(left: 7), PINFate.wrong(left: 6), PINFate.right()]),
    PINStory(
      name: "wrong three times, then right after a re-plug and not before",
      steps: [
        PINFate.wrong(left: 7), PINFate.wrong(left: 6), PINFate.blockedUntilReplug(left: 5),
        PINFate.blockedUntilReplug(KeyDesk.pin, left: 5), .replug, PINFate.right(),
      ]),
    PINStory(
      name: "wrong eight times",
      steps: [
        PINFate.wrong(left: 7), PINFate.wrong(left: 6), PINFate.blockedUntilReplug(left: 5), .replug,
        PINFate.wrong(left: 4), PINFate.wrong(left: 3), PINFate.blockedUntilReplug(left: 2), .replug,
        PINFate.wrong(left: 1), PINFate.blocked(), PINFate.blocked(KeyDesk.pin), .replug,
        PINFate.blocked(KeyDesk.pin),
      ]),
    PINStory(
      name: "a last try that is right",
      steps: [
        PINFate.wrong(left: 7), PINFate.wrong(left: 6), PINFate.blockedUntilReplug(left: 5), .replug,
        PINFate.wrong(left: 4), PINFate.wrong(left: 3), PINFate.blockedUntilReplug(left: 2), .replug,
        PINFate.wrong(left: 1), PINFate.right(),
      ]),
    PINStory(
      name: "too short, in characters and not in bytes",
      steps: [
        .pin("", .noInput, "There is no PIN in the first line", left: 8), PINFate.unusable("123", "3 characters"),
        PINFate.unusable("日本語", "3 characters"), PINFate.right(),
      ]),
    PINStory(
      name: "too long, in bytes and not in characters",
      steps: [
        PINFate.unusable(String(repeating: "1", count: 64), "64 bytes"),
        PINFate.unusable(String(repeating: "🔑", count: 16), "64 bytes"),
        PINFate.wrong(String(repeating: "1", count: 63), left: 7), PINFate.right(),
      ]),
    PINStory(name: "of 63 bytes", pin: longest, steps: [PINFate.right(longest)]),
    PINStory(
      name: "in another normal form", pin: "\u{e9}\u{e0}\u{fc}\u{f1}",
      steps: [
        PINFate.right("e\u{301}a\u{300}u\u{308}n\u{303}")
      ]),
    PINStory(
      name: "whose letters lack their marks", pin: "\u{e9}\u{e0}\u{fc}\u{f1}", steps: [PINFate.wrong("eaun", left: 7)]),
    PINStory(name: "with an emoji", pin: "key🔑", steps: [PINFate.wrong("key🗝️", left: 7), PINFate.right("key🔑")]),
    PINStory(name: "containing NUL", steps: [PINFate.unusable("48\u{0}21", "NUL"), PINFate.right()]),
  ]
}

@Suite("What becomes of a PIN")
struct PINFateTests {
  private static func tries(_ desk: KeyDesk) -> Int {
    desk.port.log.count { if case .pinTry = $0.event { true } else { false } }
  }

  /// A key with a credential, used by one command.
  private static func desk(_ pin: String?) async throws -> KeyDesk {
    let desk = try KeyDesk(pin: pin)
    if pin == nil {
      let request = try desk.scratch.write("request", Requests.options(Requests.resident))
      #expect(await desk.run("register", request, "--origin", Requests.origin, "--no-name").status == .success)
    } else {
      try await desk.register(user: "alice")
    }
    return desk
  }

  @Test(
    "every command says it in the same words, with the right status, and spends no try in silence",
    arguments: PINTaker.allCases, PINStory.all)
  func story(_ taker: PINTaker, _ story: PINStory) async throws {
    let desk = try await Self.desk(story.pin)
    let words = try taker.words(desk)
    for (number, step) in story.steps.enumerated() {
      guard case .pin(let pin, let status, let said, let left) = step else {
        desk.port.powerCycle()
        continue
      }
      let before = (left: try desk.state.pinRetries, tries: Self.tries(desk))
      let ending = await desk.run(words + ["--pin-file", try desk.scratch.write("typed", pin + "\n")])
      let place = Comment(rawValue: "step \(number) with \(pin.debugDescription): \(ending.error)")
      #expect(ending.status == status, place)
      #expect(ending.error.contains(said), place)
      #expect(ending.output.isEmpty == (status != .success || taker == .change), place)
      #expect(try desk.state.pinRetries == left, place)
      // The key compared a PIN once where a try was spent or given back, and never where the words say that it did not.
      let spent = Self.tries(desk) - before.tries
      let isCompared = left < before.left || status == .success
      #expect(spent == (isCompared ? 1 : 0), place)
    }
  }

  /// What a question for a PIN told of the tries, and how many there were.
  private struct Question: Hashable, Sendable {
    let told: Int?
    let left: Int?
  }

  @Test(
    "at one sitting each question tells the tries that are left, and what is not shown to the key spends none",
    arguments: PINTaker.allCases, [true, false])
  func sitting(_ taker: PINTaker, endsRight: Bool) async throws {
    let desk = try await Self.desk(KeyDesk.pin)
    let (store, before) = (desk.store, Self.tries(desk))
    let questions = Mutex<[Question]>([])
    // Wrong; too short; the one that was just refused; with NUL; wrong; and the last.
    let answers = [
      #""0000""#, #""123""#, #""0000""#, #""48\u000021""#, #""0001""#, endsRight ? #""4821""# : #""0002""#,
    ]
    let ending = try await Drive(usb: desk.source).run(try taker.words(desk) + ["--key", "desk"]) { event in
      guard event.name == "pinNeeded" else { return .nothing }
      let question = Question(told: event["retriesLeft"]?.integerValue, left: store.load()?.pinRetries)
      let number = questions.withLock { questions in
        questions.append(question)
        return questions.count - 1
      }
      return number < answers.count ? .write(event.answer(answers[number])) : .end
    }
    let asked = questions.withLock { $0 }
    #expect(asked.map(\.told) == [8, 7, 7, 7, 7, 6])
    #expect(asked.allSatisfy { $0.told == $0.left })
    #expect(Self.tries(desk) - before == 3)
    if endsRight {
      #expect(ending.status == .success, "\(ending.lines)")
      #expect(try desk.state.pinRetries == 8)
    } else {
      #expect(ending.status == .pin)
      #expect(try ending.reason?.contains("pull it out, plug it in and try again") == true)
      #expect(try desk.state.pinRetries == 5)
    }
  }

  @Test(
    "a PIN that has to be changed does nothing but that, and is not asked for in vain", arguments: PINTaker.allCases)
  func mustChange(_ taker: PINTaker) async throws {
    let desk = try await Self.desk(KeyDesk.pin)
    try await desk.done("pin", "force-change")
    desk.port.clearLog()
    let ending = await desk.run(try taker.words(desk) + ["--pin-file", desk.scratch["pin"]])
    if taker == .change {
      #expect(ending.status == .success, "\(ending.error)")
      #expect(try desk.state.mustChangePIN == false)
    } else {
      #expect(ending.status == .pin, "\(ending.error)")
      #expect(ending.error.contains("PIN must be changed"), "\(ending.error)")
      #expect(desk.requests(.clientPIN) == 0)
    }
    #expect(try desk.state.pinRetries == 8)
  }

  @Test(
    "a PIN that was never set is told, with what to do about it, and is not asked for", arguments: PINTaker.allCases)
  func notSet(_ taker: PINTaker) async throws {
    let desk = try await Self.desk(nil)
    let ending = await desk.run(try taker.words(desk) + ["--pin-file", desk.scratch["pin"]])
    // A key that can't verify anybody does not suit such a request, and another one may.
    let isCeremony = taker == .register || taker == .authenticate
    #expect(ending.status == (isCeremony ? .unavailable : .pin), "\(ending.error)")
    #expect(ending.error.contains("no PIN") && ending.error.contains("set one"), "\(ending.error)")
    #expect(Self.tries(desk) == 0)
    #expect(desk.store.load()?.pin == nil)
  }
}
