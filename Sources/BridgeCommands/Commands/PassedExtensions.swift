import CTAPBridge
import WebAuthnClient

/// The extensions that the command line wants passed on to the key as they are: `--pass-extension`.
enum PassedExtensions {
  static let option = OptionSpecification(
    "--pass-extension", "NAME", repeatable: true,
    help:
      "Pass the request's extension NAME on to the key and return what\nthe key answers (repeatable); the rule is in the README."
  )

  static func named(
    _ arguments: ParsedArguments, command: String
  ) throws(CommandFailure) -> [any ClientExtension] {
    var passed: [any ClientExtension] = []
    for name in arguments.all(option.name) {
      if SecurityKeyClient.bridgeExtensions.contains(where: { $0.identifier == name || $0.members.contains(name) }) {
        throw .usage(
          UsageError("The bridge knows the extension \(name) itself; \(option.name) is for others.", command: command))
      }
      do throws(WebAuthnError) {
        passed.append(try PassedExtension(name))
      } catch {
        throw .usage(UsageError(error.reason, command: command))
      }
    }
    return passed
  }
}
