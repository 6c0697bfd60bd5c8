import CTAP2
import JSONText
import Octets
import WebAuthnClient

/// `ctap-bridge blobs get`: the data of one large blob.
enum BlobsGetCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "blobs get",
    summary: "write a credential's large blob to stdout or a file",
    discussion: """
      Writes the data of a credential's large blob, byte for byte, to stdout or to the file that --output names; with
      --json as base64url in an object.
      \(BlobCommands.explanation)

      Needs the key's PIN, or its own verification, unless --large-blob-key is given: what is encrypted may be read by all.
      """,
    positionals: ["[CREDENTIAL]"],
    options: [OptionSpecification("--output", "FILE", help: "Write the data to FILE, whole or not at all.")]
      + BlobCommands.selection + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    try BlobCommands.checkSelection(arguments, command: specification.name)
    let cipher = try BlobCommands.largeBlobKey(arguments)
    let output = try arguments["--output"].flatMap { (path) throws(CommandFailure) in
      path == "-" ? nil : try OutputFile(path: path)
    }
    let data = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let target = try await BlobTarget(on: key, cipher, arguments, writes: false)
      let array = try await key.run { (session, wait) throws(CTAP2Error) in try session.largeBlobs(wait) }
      key.warnOfDamage(array)
      guard let blob = array.blob(under: target.cipher) else {
        throw WebAuthnError(.notAllowedError, .noCredential, "There is no large blob under that credential's key.")
      }
      do throws(CTAP2Error) {
        return try blob.expanded()
      } catch {
        throw WebAuthnError(.notAllowedError, .communication, "\(error)", cause: error)
      }
    }
    let shown =
      arguments.has("--json")
      ? JSONOutput.object([("size", .int(data.count)), ("blob", .string(Base64URL.encode(data)))])
        .serialized(pretty: true) + [UInt8(ascii: "\n")] : data
    do throws(SystemError) {
      if let output { try output.commit(shown) } else { try environment.output(shown) }
    } catch {
      throw CommandFailure("OperationError", "The large blob cannot be written: \(error.message).", .inputOutput)
    }
  }
}
