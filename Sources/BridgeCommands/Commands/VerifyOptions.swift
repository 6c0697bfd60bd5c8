import CTAPBridge
import FIDOCrypto
import RelyingParty

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What both verifications take, and how they tell what they found.
enum VerifyOptions {
  static let request = OptionSpecification("--request", "FILE", help: "What the server asked: the options as JSON.")
  static let response = OptionSpecification("--response", "FILE", help: "What came back, as JSON; - is stdin.")
  static let origins = [
    OptionSpecification(
      "--origin", "ORIGIN", repeatable: true,
      help: "An origin that the ceremony may have run at (repeatable);\nwithout one the origin is not checked."),
    OptionSpecification(
      "--top-origin", "ORIGIN", repeatable: true,
      help: "An origin whose pages may embed the ceremony's page\n(repeatable); without one none may."),
  ]
  static let json = OptionSpecification(
    "--json", help: "Print the findings, and what a server would keep of the\ncredential, as a JSON object.")

  /// The largest file that is read.
  private static let limit = 1 << 20

  /// Reads a file that an option names, which must be given.
  static func file<Content>(
    _ option: OptionSpecification, _ arguments: ParsedArguments, _ command: String,
    _ parse: ([UInt8]) throws(UnreadableInput) -> Content
  ) throws(CommandFailure) -> Content {
    guard let path = arguments[option.name] else {
      throw .usage(UsageError("\(option.name) is missing.", command: command))
    }
    return try read(path, String(option.name.dropFirst(2)), parse)
  }

  private static func read<Content>(
    _ path: String, _ what: String, _ parse: ([UInt8]) throws(UnreadableInput) -> Content
  ) throws(CommandFailure) -> Content {
    let bytes = try InputFile.read(path, limit: limit, what: what)
    do throws(UnreadableInput) {
      return try parse(bytes)
    } catch {
      throw CommandFailure("EncodingError", "\(error) It was read from \(path).", .badRequest)
    }
  }

  static func policy(_ arguments: ParsedArguments) throws(CommandFailure) -> RelyingPartyPolicy {
    var anchors: [Certificate]?
    if let path = arguments["--trust-anchors"] { anchors = try read(path, "trust anchors", TrustAnchors.read) }
    return RelyingPartyPolicy(
      origins: try origins(arguments.all("--origin")), topOrigins: try origins(arguments.all("--top-origin")),
      trustAnchors: anchors, time: Int64(time(nil)))
  }

  /// Origins as client data has them; those of apps are not of the web and stay as they are.
  private static func origins(_ texts: [String]) throws(CommandFailure) -> [String] {
    var origins: [String] = []
    for text in texts {
      if text.hasPrefix("android:apk-key-hash:") || text.hasPrefix("ios:bundle-id:") {
        origins.append(text)
        continue
      }
      do throws(WebAuthnError) {
        origins.append(try Origin(text).serialized)
      } catch {
        throw CommandFailure(error)
      }
    }
    return origins
  }

  /// Writes every finding; throws where a check failed.
  static func report(
    _ found: Verification, _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) throws(CommandFailure) {
    if arguments.has("--json") {
      try environment.write(found.json.serialized(pretty: true))
    } else {
      try environment.write(found.checks.map(line).joined(separator: "\n"))
    }
    let failures = found.checks.filter(\.isFailure)
    guard !failures.isEmpty else { return }
    let names = failures.map(\.subject.rawValue).joined(separator: ", ")
    throw CommandFailure(
      "DataError", "\(failures.count) of \(found.checks.count) checks failed: \(names).", .protocolViolation)
  }

  private static func line(_ check: Check) -> String {
    let head = check.result.padded(to: 13) + check.subject.rawValue
    return PlainText.shown(check.detail.isEmpty ? head : "\(head): \(check.detail)")
  }
}
