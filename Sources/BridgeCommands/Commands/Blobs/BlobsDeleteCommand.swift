import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge blobs delete`: takes large blobs off a key.
enum BlobsDeleteCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "blobs delete",
    summary: "delete a large blob, or those that belong to no credential",
    discussion: """
      Deletes a credential's large blob; the credential stays.
      \(BlobCommands.explanation)

      With --orphans, deletes every entry that no credential on the key opens, such as those of credentials that were
      deleted. An entry that is under a large-blob key kept elsewhere looks the same, and is deleted too.

      It is asked about first; where nobody can be asked, --yes says that it is meant. Needs the key's PIN, or its own
      verification, where the key has one set up.
      """,
    positionals: ["[CREDENTIAL]"],
    options: [
      OptionSpecification("--orphans", help: "Delete what belongs to no credential on the key."), ManagementOptions.yes,
    ] + BlobCommands.selection + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    if arguments.has("--orphans") { return try await collect(arguments, environment) }
    try BlobCommands.checkSelection(arguments, command: specification.name)
    let cipher = try BlobCommands.largeBlobKey(arguments)
    let (credential, wasThere) = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let target = try await BlobTarget(on: key, cipher, arguments, writes: true)
      try await confirm("The large blob\(whose(target.credential)) will be deleted.", key)
      let wasThere = try await key.run { (session, wait) throws(CTAP2Error) in
        try session.deleteLargeBlob(under: target.cipher, target.token, wait)
      }
      return (target.credential, wasThere)
    }
    let words = wasThere ? "was deleted" : "was not there; nothing was changed"
    try reportDone(
      ["credential": credential?.json ?? .null, "deleted": .int(wasThere ? 1 : 0)],
      "The large blob\(whose(credential)) \(words).", arguments, environment)
  }

  private static func collect(
    _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) async throws(CommandFailure) {
    guard arguments.positionals.isEmpty, !arguments.has("--rp-id"), !arguments.has("--large-blob-key") else {
      throw .usage(
        UsageError("--orphans is about the whole key: name no credential beside it.", command: specification.name))
    }
    let count = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      try key.checkLargeBlobs()
      // Asked first: a credential that is made while somebody thinks about it must not lose its data.
      try await confirm("Every large blob that no credential on the key opens will be deleted.", key)
      let lookup = try await CredentialLookup(key, rpID: nil, changes: false, also: .largeBlobWrite)
      let secrets = try await lookup.all().compactMap(\.largeBlobKey)
      return try await key.run { (session, wait) throws(CTAP2Error) in
        var ciphers: [LargeBlobCipher] = []
        // One that can't be used would have its data taken for nobody's.
        for secret in secrets { ciphers.append(try LargeBlobCipher(key: secret)) }
        return try session.collectLargeBlobs(keeping: ciphers, lookup.token, wait)
      }
    }
    let words = count == 1 ? "1 large blob was deleted." : "\(count) large blobs were deleted."
    try reportDone(["deleted": .int(count)], words, arguments, environment)
  }

  private static func confirm(_ consequences: String, _ key: ManagedKey) async throws(WebAuthnError) {
    try await key.confirm(
      ConfirmationRequest(authenticator: key.authenticator, deed: .deleteLargeBlob, consequences: consequences))
  }

  private static func whose(_ credential: CredentialReport?) -> String {
    credential.map { " of \($0.account) at \($0.site)" } ?? ""
  }
}
