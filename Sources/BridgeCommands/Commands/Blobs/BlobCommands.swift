import CTAP2
import Octets
import WebAuthnClient

/// The commands about the large blobs on a key.
enum BlobCommands {
  static let group = CommandGroup(
    name: "blobs",
    summary: "list, get, set and delete the large blobs on a key",
    discussion: """
      A large blob is some data, such as a certificate, that a site or its user keeps with a discoverable credential. The
      key stores those of all credentials in one array, each encrypted under its credential's own key, which comes out
      with the key's PIN. What is done here to one leaves the others as they are.
      """,
    commands: [BlobsListCommand.self, BlobsGetCommand.self, BlobsSetCommand.self, BlobsDeleteCommand.self])

  /// Whose blob is meant.
  static let selection = [
    CredentialCommands.rpID,
    OptionSpecification(
      "--large-blob-key", "FILE",
      help: "The credential's large-blob key in base64, in the file's\nfirst line, in place of CREDENTIAL."),
  ]

  /// What CREDENTIAL is, for the help texts.
  static let explanation = """
    \(CredentialCommands.explanation)
    It can be left out where --rp-id names a site for which the key has one credential with a large-blob key, and where
    --large-blob-key gives that key itself.
    """

  /// The large-blob key that the command line names, or nil.
  static func largeBlobKey(_ arguments: ParsedArguments) throws(CommandFailure) -> LargeBlobCipher? {
    guard let path = arguments["--large-blob-key"] else { return nil }
    let text = try InputFile.secret(path: path, what: "large-blob key")
    var characters = text.exposed()
    defer { characters.wipe() }
    // What other tools write is base64; base64url is welcome too.
    let standard: [UInt8: UInt8] = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
    let plain = characters.filter { $0 != UInt8(ascii: "=") }.map { standard[$0] ?? $0 }
    guard var bytes = try? Base64URL.decode(String(decoding: plain, as: UTF8.self)) else {
      throw CommandFailure("EncodingError", "The large-blob key in \(path) is not base64.", .badRequest)
    }
    do throws(CTAP2Error) {
      return try LargeBlobCipher(key: SecretBytes(taking: &bytes))
    } catch {
      throw CommandFailure("EncodingError", "\(error) It was read from \(path).", .badRequest)
    }
  }

  /// Checks what the command line says of whose blob is meant, before any key is looked for.
  static func checkSelection(_ arguments: ParsedArguments, command: String) throws(CommandFailure) {
    let isNamed = !arguments.positionals.isEmpty || arguments.has("--rp-id")
    if arguments.has("--large-blob-key") {
      guard isNamed else { return }
      throw .usage(UsageError("--large-blob-key takes the place of CREDENTIAL and --rp-id.", command: command))
    }
    guard isNamed else {
      throw .usage(
        UsageError("CREDENTIAL is missing; --rp-id or --large-blob-key can take its place.", command: command))
    }
  }
}
