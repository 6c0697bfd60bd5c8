import CTAPMessages
import Testing

@testable import BridgeCommands
@testable import VirtualKey

/// A command line, and the command to the key whose answer is a status byte alone.
struct SweptLine: Sendable, CustomTestStringConvertible {
  let words: [String]
  let command: CTAPCommand
  /// The exit statuses of the bytes that mean something of their own here.
  var own: [UInt8: BridgeCommands.ExitStatus] = [:]

  var testDescription: String { "\(words.joined(separator: " ")), \(command)" }

  static let all: [SweptLine] = [
    SweptLine(
      words: ["register", "creation", "--no-name", "--origin", Requests.origin], command: .makeCredential,
      own: [0x00: .credentialExists, 0x2d: .credentialExists, 0x19: .excluded]),
    SweptLine(words: ["register", "creation", "--no-name", "--origin", Requests.origin], command: .clientPIN),
    SweptLine(words: ["authenticate", "assertion", "--origin", Requests.origin], command: .getAssertion),
    SweptLine(words: ["credentials", "list"], command: .credentialManagement, own: [0x2e: .success]),
    SweptLine(words: ["credentials", "delete", "AQ", "--yes"], command: .credentialManagement),
    SweptLine(words: ["pin", "change", "--new-pin-file", "new"], command: .clientPIN),
    SweptLine(words: ["fingerprints", "list"], command: .bioEnrollment, own: [0x00: .success, 0x2c: .success]),
    SweptLine(
      words: ["config", "always-uv", "on"], command: .config,
      own: [0x20: .uncertain, 0x2d: .uncertain, 0x80: .uncertain, 0x37: .declined]),
  ]

  /// What a byte means, where it has the same meaning for every command line.
  static let common: [UInt8: BridgeCommands.ExitStatus] = [
    0x00: .inputOutput, 0x2d: .inputOutput, 0x28: .unavailable, 0x2e: .unavailable, 0x2f: .tryAgain, 0x3a: .tryAgain,
    0x31: .pin, 0x32: .pin, 0x34: .pin, 0x35: .pin, 0x37: .pin,
  ]

  /// Every byte that the specification names, and some of each other kind.
  static let bytes = (UInt8.min...UInt8.max).filter { byte in
    let category = CTAPStatus(rawValue: byte).category
    // Those that say "later" are asked again for two seconds, which the session's tests try on a clock of their own.
    return category == .specified ? byte != 0x05 && byte != 0x06 : [0x20, 0x80, 0xe0, 0xf0].contains(byte)
  }
}

@Suite("Each status byte as the answer to the command of each command line")
struct CommandStatusSweepTests {
  @Test("ends it with one sentence and an exit status", arguments: SweptLine.all)
  func sweep(_ line: SweptLine) async throws {
    for byte in SweptLine.bytes {
      let desk = try KeyDesk {
        $0.profile.info.options?[.bioEnroll] = false
        $0.faults = FaultPlan([.answer(line.command.rawValue, .status(CTAPStatus(rawValue: byte)))])
      }
      let words = try Self.files(line.words, desk)
      let ending = await desk.run(words + ["--pin-file", desk.scratch["pin"]])
      let expected = line.own[byte] ?? SweptLine.common[byte] ?? .declined
      #expect(ending.status == expected, "\(CTAPStatus(rawValue: byte)): \(ending.error)")
      let sentences = ending.error.split(separator: "\n").filter { $0.hasPrefix("ctap-bridge: ") }
      #expect(sentences.count == (expected == .success ? 0 : 1), "\(ending.error)")
      #expect(sentences.allSatisfy { $0.hasSuffix(".") }, "\(ending.error)")
    }
  }

  private static func files(_ words: [String], _ desk: KeyDesk) throws -> [String] {
    let files = [
      "creation": try Requests.options(Requests.verified), "new": "628491\n",
      "assertion": #"{"challenge":"AAECAwQFBgc","rpId":"example.org","userVerification":"required"}"#,
    ]
    return try words.map { word in
      guard let content = files[word] else { return word }
      return try desk.scratch.write(word, content)
    }
  }
}
