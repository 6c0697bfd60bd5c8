import CTAPHID
import FIDOCrypto
import Octets
import Recordings
import Timing
import WebAuthnClient

/// What a command's run is written down on, or played from.
///
/// It is looked up rather than handed on, so that no command can forget a part of it: the keys, the files, the prompts,
/// the clock and the random bytes of every command pass by here.
enum Tape: Sendable {
  /// Nothing is written down, and everything is real.
  case none
  /// Everything is real and is written down.
  case recording(Recorder)
  /// Everything comes from a recording, and nothing outside is touched.
  case replay(Player)

  /// The tape of the command that is running.
  @TaskLocal static var current = Tape.none

  /// The clock of a command that is not played from a recording; a test puts its own in its place.
  @TaskLocal static var realClock: any MonotonicClock = SystemClock()

  /// The clock of the command's keys.
  var clock: any MonotonicClock {
    if case .replay(let player) = self { player.clock } else { Self.realClock }
  }

  /// The random bytes of the command's keys.
  var random: any RandomSource {
    switch self {
    case .none: SystemRandom()
    case .recording(let recorder): recorder.recorded(SystemRandom())
    case .replay(let player): player.random
    }
  }

  /// Whether a recording is played, so that nothing may be written to files.
  var isReplay: Bool {
    if case .replay = self { true } else { false }
  }

  /// The keys that the command uses in place of those of a source, which is only made where it is used.
  func keys(_ source: () throws(CommandFailure) -> any KeySource) throws(CommandFailure) -> any KeySource {
    switch self {
    case .none: try source()
    case .recording(let recorder): recorder.recorded(try source())
    case .replay(let player): player.keys
    }
  }

  /// Whether there was somebody to ask where a recording is played; else nil.
  var wasAttended: Bool? {
    if case .replay(let player) = self { player.isAttended } else { nil }
  }

  /// Whoever is told and asked, in place of the real person or program.
  func interaction(_ person: any UserInteraction) -> any UserInteraction {
    switch self {
    case .none: person
    case .recording(let recorder): RecordedInteraction(person: person, recorder: recorder)
    case .replay(let player): ReplayedInteraction(listener: person, player: player)
    }
  }

  /// A file's content: read now, or as it was recorded.
  func file(_ what: String, _ read: () throws(CommandFailure) -> [UInt8]) throws(CommandFailure) -> [UInt8] {
    switch self {
    case .none: return try read()
    case .recording(let recorder):
      let content = try read()
      recorder.note(.file(what: what, content: content))
      return content
    case .replay(let player):
      guard let content = player.file(what) else { throw Self.notRecorded(what) }
      return content
    }
  }

  /// A secret from a file or a descriptor: read now, or in place of the one that was.
  func secret(_ what: String, _ read: () throws(CommandFailure) -> SecretBytes) throws(CommandFailure) -> SecretBytes {
    switch self {
    case .none: return try read()
    case .recording(let recorder):
      let secret = try read()
      recorder.noteSecret(what, secret)
      return secret
    case .replay(let player):
      guard let secret = player.secret(what) else { throw Self.notRecorded(what) }
      return secret
    }
  }

  private static func notRecorded(_ what: String) -> CommandFailure {
    CommandFailure("NotReadableError", "The recording has no \(what).", .noInput)
  }
}
