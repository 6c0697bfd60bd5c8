import CTAP2
import CTAPHID
import JSONText
import Octets
import Timing
import WebAuthnClient

/// `ctap-bridge ping`: has a key send bytes back, and measures how long that takes.
enum PingCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "ping",
    summary: "have a key send bytes back, with times",
    discussion: """
      Sends bytes to a key, which sends them back, and prints how long each round took; the bytes are compared. Nothing is
      done on the key. With one key plugged in, --key may be left out.
      """,
    options: [
      KeyOption.specification,
      OptionSpecification("--size", "N", help: "The number of bytes, 0 to 7609 (default: 64)."),
      OptionSpecification("--count", "N", help: "How often, 1 to 100000 (default: 4)."),
      OptionSpecification("--timeout", "SECONDS", help: "The time for all of it, once input was read (default: 300)."),
      ManagementOptions.json,
    ] + VirtualKeyOptions.specifications)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let size = try number("--size", arguments, 0...7609, default: 64)
    let count = try number("--count", arguments, 1...100_000, default: 4)
    let keys = try ChosenSource(arguments, command: specification.name, environment)
    var options = try ceremonyOptions(arguments)
    options.key = .named(try keys.only(command: specification.name).id)
    let isQuiet = arguments.has("--json")
    var lost: CommandFailure?
    var times: [Duration] = []
    let clock = Tape.current.clock
    try await manage(keys.source, options, SuppliedAnswers(name: .declined), environment, needsFIDO2: false) {
      (key) throws(WebAuthnError) in
      for round in 0..<count where lost == nil {
        let time = try await key.run { (session, wait) throws(CTAP2Error) in
          try measure(session, size: size, round: round, clock, wait)
        }
        times.append(time)
        guard !isQuiet else { continue }
        do throws(CommandFailure) {
          try environment.write("\(size) bytes: \(milliseconds(time)) ms")
        } catch {
          lost = error
        }
      }
    }
    if let lost { throw lost }
    try summarise(times, size: size, arguments, environment)
  }

  /// One round, with bytes that differ from those of the round before.
  private static func measure(
    _ session: KeySession, size: Int, round: Int, _ clock: any MonotonicClock, _ wait: Wait
  ) throws(CTAP2Error) -> Duration {
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &+ round) }
    let start = clock.now
    try session.ping(payload, wait)
    return clock.now.since(start)
  }

  private static func summarise(
    _ times: [Duration], size: Int, _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) throws(CommandFailure) {
    guard let least = times.min(), let most = times.max() else { return }
    let average = times.reduce(.zero, +) / times.count
    let number: (Duration) -> JSONOutput = { .raw(Array(milliseconds($0).utf8)) }
    if arguments.has("--json") {
      let json: JSONOutput = .object([
        ("size", .int(size)), ("count", .int(times.count)), ("unit", "ms"), ("minimum", number(least)),
        ("average", number(average)), ("maximum", number(most)), ("times", .array(times.map(number))),
      ])
      return try environment.write(json.serialized(pretty: true))
    }
    let words = "\(milliseconds(least)) least, \(milliseconds(average)) on average, \(milliseconds(most)) most"
    try environment.write("\(times.count) of \(times.count) came back; in milliseconds: \(words)")
  }

  /// A time in milliseconds with two decimals.
  static func milliseconds(_ time: Duration) -> String {
    let hundredths = Int64((time / .microseconds(10)).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100)." + (fraction < 10 ? "0" : "") + "\(fraction)"
  }

  private static func number(
    _ name: String, _ arguments: ParsedArguments, _ range: ClosedRange<Int>, default standard: Int
  ) throws(CommandFailure) -> Int {
    guard let text = arguments[name] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw .usage(
        UsageError(
          "\(name) is a number from \(range.lowerBound) to \(range.upperBound), not \(PlainText.quoted(text)).",
          command: specification.name))
    }
    return number
  }
}
