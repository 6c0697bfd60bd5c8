import CTAPMessages
import Octets
import Timing
import VirtualKey
import WebAuthnClient

/// The options of the virtual key, the same wherever one is used.
enum VirtualKeyOptions {
  static let specifications = [
    OptionSpecification(
      "--profile", "FILE", help: "Virtual key: dress it as the key of a getInfo record or metadata statement."),
    OptionSpecification(
      "--protocol", "NAME", help: "Virtual key: fido2 (the default), or u2f for a key from before CTAP2."),
    OptionSpecification("--virtual-pin-file", "FILE", help: "Virtual key: the PIN it has, in the file's first line."),
    OptionSpecification(
      "--presence", "POLICY", help: "Virtual key: who touches it: auto (default), ask, never,\nor after=SECONDS."),
    OptionSpecification(
      "--backup", "STATE", help: "Virtual key: none (device-bound, the default), eligible, or backed-up."),
    OptionSpecification(
      "--attestation", "KIND", help: "Virtual key: packed (with a certificate, the default), self, or none."),
    OptionSpecification(
      "--fingerprints", "SAMPLES",
      help:
        "Virtual key: it has a fingerprint sensor, which says of the samples\nin turn: good, or a list such as too-fast,good."
    ),
    OptionSpecification(
      "--enterprise-rp", "ID",
      help: "Virtual key: enterprise attestation is on, and the vendor\ngives it to this relying party."),
    OptionSpecification(
      "--echo-extension", "NAME",
      help:
        "Virtual key: give back what an extension of this name is given,\nas unsigned:NAME outside of what is signed."),
  ]

  /// The same options for a key that outlives one command, which a signal can touch.
  static let withSignal = specifications.map { option in
    guard option.name == "--presence" else { return option }
    return OptionSpecification(
      option.name, option.value,
      help: "Who touches the key: auto (default), ask, never, signal\n(SIGUSR1), or after=SECONDS.")
  }

  /// The configuration that the command line asks for.
  static func configuration(
    _ arguments: ParsedArguments, command: String, _ environment: CommandEnvironment
  ) throws(CommandFailure) -> VirtualKeyConfiguration {
    var configuration = VirtualKeyConfiguration()
    do throws(UsageError) {
      configuration.profile = try choice(
        "--protocol", arguments["--protocol"], ["fido2": .standard, "u2f": .u2f], default: .standard, command: command)
      if arguments.has("--protocol"), arguments.has("--profile") {
        throw UsageError("--profile says what the key speaks: leave --protocol out.", command: command)
      }
    } catch {
      throw .usage(error)
    }
    if let path = arguments["--profile"] { configuration.profile = try profile(path) }
    if let value = arguments["--fingerprints"] {
      do throws(UsageError) {
        configuration.fingerprints = try SampleNames.policy(value, command: command)
      } catch {
        throw .usage(error)
      }
      configuration.profile.addFingerprintSensor()
    }
    if let rpID = arguments["--enterprise-rp"] {
      configuration.profile.info.options?[.ep] = true
      configuration.enterpriseRPIDs = [rpID]
    }
    if let path = arguments["--virtual-pin-file"] {
      configuration.pin = try InputFile.unrecordedSecret(path: path, what: "virtual key's PIN")
    }
    do throws(UsageError) {
      configuration.presence = try presence(arguments["--presence"], command: command, environment)
      configuration.backup = try choice(
        "--backup", arguments["--backup"], ["none": .none, "eligible": .eligible, "backed-up": .backedUp],
        default: .none, command: command)
      configuration.attestation = try choice(
        "--attestation", arguments["--attestation"], ["packed": .packed, "self": .selfSigned, "none": .none],
        default: .packed, command: command)
      configuration.echoExtensions =
        try arguments["--echo-extension"].map { (value) throws(UsageError) in
          [try echoExtension(value, command: command)]
        } ?? []
    } catch {
      throw .usage(error)
    }
    return configuration
  }

  /// Refuses the options where no virtual key is used: they would do nothing.
  static func refuse(_ arguments: ParsedArguments, command: String) throws(UsageError) {
    for option in specifications where arguments.has(option.name) {
      throw UsageError("\(option.name) is for the virtual key; add --key virtual.", command: command)
    }
  }

  private static func profile(_ path: String) throws(CommandFailure) -> VirtualKeyProfile {
    let bytes = try InputFile.unrecorded(path, limit: 1 << 20, what: "profile")
    do throws(VirtualKeyProfileError) {
      return try VirtualKeyProfile(json: bytes)
    } catch {
      throw CommandFailure(
        "EncodingError", "\(error.description) It was read from \(path).", .badRequest)
    }
  }

  private static func echoExtension(_ value: String, command: String) throws(UsageError) -> EchoExtension {
    let isUnsigned = value.hasPrefix("unsigned:")
    let name = isUnsigned ? String(value.dropFirst(9)) : value
    if name.isEmpty { throw UsageError("--echo-extension needs the name of an extension.", command: command) }
    return EchoExtension(name, isUnsigned ? .unsigned : .signed)
  }

  private static func presence(
    _ value: String?, command: String, _ environment: CommandEnvironment
  ) throws(UsageError) -> PresencePolicy {
    switch value {
    case nil, "auto": return .auto
    case "never": return .never
    // A touch from outside counts under every policy; under this one nothing else does.
    case "signal" where command == VirtualKeyCommand.specification.name: return .never
    case "ask":
      guard environment.canAsk else {
        throw UsageError(
          "--presence ask needs a terminal to ask at; use auto, never or after=SECONDS.", command: command)
      }
      return .ask { request in TouchPrompt.ask(request, environment) }
    case .some(let text):
      guard text.hasPrefix("after="), let delay = Seconds.parse(String(text.dropFirst(6))) else {
        throw UsageError(
          "--presence is auto, ask, never or after=SECONDS, not \(PlainText.quoted(text)).", command: command)
      }
      return .after(delay)
    }
  }

  private static func choice<Value>(
    _ name: String, _ value: String?, _ choices: KeyValuePairs<String, Value>, default standard: Value, command: String
  ) throws(UsageError) -> Value {
    guard let value else { return standard }
    if let match = choices.first(where: { $0.key == value }) { return match.value }
    let names = choices.map(\.key).joined(separator: ", ")
    throw UsageError("\(name) is one of \(names), not \(PlainText.quoted(value)).", command: command)
  }
}

/// A number of seconds on the command line, with a decimal fraction where wanted.
enum Seconds {
  /// Reads a decimal number above 0 and up to a day, or nil.
  static func parse(_ text: String) -> Duration? {
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isDecimal, let value = Double(text), value > 0, value <= 86_400 else { return nil }
    return .milliseconds(Int64((value * 1000).rounded(.up)))
  }
}
