import CTAPMessages
import WebAuthnClient

/// What the command line says about models of keys: `--syncable` and `--metadata`.
enum ModelOptions {
  static func policy(_ arguments: ParsedArguments, command: String) throws(CommandFailure) -> AuthenticatorPolicy {
    var policy = AuthenticatorPolicy()
    for text in arguments.all("--syncable") {
      guard let model = AAGUID(text) else {
        throw .usage(
          UsageError(
            "--syncable is an AAGUID such as ee882879-721c-4913-9775-3dfcce97072a, not \(PlainText.quoted(text)).",
            command: command))
      }
      policy.syncable.insert(model)
    }
    if let path = arguments["--metadata"] {
      // The public BLOB's payload has some 5 MB.
      let bytes = try InputFile.read(path, limit: 16 << 20, what: "metadata")
      do throws(WebAuthnError) {
        policy.metadata = try MetadataStatements(parsing: bytes)
      } catch {
        throw CommandFailure(error.name.rawValue, "\(error.reason) It was read from \(path).", .badRequest)
      }
    }
    return policy
  }
}
