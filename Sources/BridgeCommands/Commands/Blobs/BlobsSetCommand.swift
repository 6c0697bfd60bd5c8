import CTAP2
import JSONText
import WebAuthnClient

/// `ctap-bridge blobs set`: other data for one large blob.
enum BlobsSetCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "blobs set",
    summary: "replace a credential's large blob",
    discussion: """
      Reads data from the file that --input names, or stdin, and keeps it on the key as the credential's large blob, in
      the place of what was there.
      \(BlobCommands.explanation)

      Needs the key's PIN, or its own verification, where the key has one set up. The array is read, edited and written
      whole; where the key's answer is lost and it can't be asked what became of it, the exit status is 14.
      """,
    positionals: ["[CREDENTIAL]"],
    options: [OptionSpecification("--input", "FILE", help: "The data; - is stdin, the default.")]
      + BlobCommands.selection + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    try BlobCommands.checkSelection(arguments, command: specification.name)
    let path = arguments["--input"] ?? "-"
    if path == "-", environment.program != nil {
      throw .usage(
        UsageError("--input names a file where a program answers on stdin.", command: specification.name))
    }
    if path == "-", arguments["--pin-file"] == "-" || arguments["--pin-fd"] == "0" {
      throw .usage(
        UsageError(
          "stdin cannot give both the data and the PIN; name a file for one of them.", command: specification.name))
    }
    let cipher = try BlobCommands.largeBlobKey(arguments)
    let data = try InputFile.read(path, limit: CompressedLargeBlob.largestData, what: "large blob")
    let credential = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let target = try await BlobTarget(on: key, cipher, arguments, writes: true)
      let before = try await key.run { (session, wait) throws(CTAP2Error) in
        try session.setLargeBlob(data, under: target.cipher, target.token, wait)
      }
      key.warnOfDamage(before)
      return target.credential
    }
    let whose = credential.map { " of \($0.account) at \($0.site)" } ?? ""
    try reportDone(
      ["credential": credential?.json ?? .null, "size": .int(data.count)],
      "The large blob\(whose) has \(data.count) bytes now.", arguments, environment)
  }
}
