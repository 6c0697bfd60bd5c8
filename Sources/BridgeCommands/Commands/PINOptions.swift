import Octets
import WebAuthnClient

/// Where the command line says the PIN comes from: `--pin-file` or `--pin-fd`, never an argument.
enum PINOptions {
  static func pin(
    _ arguments: ParsedArguments, requestIsStdin: Bool, command: String
  ) throws(CommandFailure) -> SecretBytes? {
    if let path = arguments["--pin-file"] {
      if arguments.has("--pin-fd") {
        throw .usage(UsageError("--pin-file and --pin-fd contradict each other.", command: command))
      }
      if path == "-" {
        guard !requestIsStdin else { throw .usage(stdinTwice(command)) }
        return try InputFile.secret(descriptor: 0, name: "stdin", what: "PIN")
      }
      return try InputFile.secret(path: path, what: "PIN")
    }
    guard let text = arguments["--pin-fd"] else { return nil }
    guard let descriptor = Int32(text), descriptor >= 0 else {
      throw .usage(
        UsageError("--pin-fd is the number of an open descriptor, not \(PlainText.quoted(text)).", command: command))
    }
    if descriptor == 0, requestIsStdin { throw .usage(stdinTwice(command)) }
    return try InputFile.secret(descriptor: descriptor, name: "descriptor \(descriptor)", what: "PIN")
  }

  private static func stdinTwice(_ command: String) -> UsageError {
    UsageError("stdin cannot give both the request and the PIN; name a file for one of them.", command: command)
  }
}
