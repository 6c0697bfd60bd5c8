import CTAP2
import CTAPMessages
import JSONText
import Octets
import WebAuthnClient

/// `ctap-bridge fingerprints add`: enrols a fingerprint.
enum FingerprintsAddCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "fingerprints add",
    summary: "enrol a fingerprint",
    discussion: """
      Has the key take samples of a finger until it needs no more, and tells after each how good it was. Ctrl-C gives the
      enrolment up at any moment, on the key too. Needs the key's PIN.
      """,
    options: [OptionSpecification("--name", "NAME", help: "What to call the fingerprint.")] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let name = try arguments["--name"].map { (text) throws(CommandFailure) in try Self.name(text, option: "--name") }
    let added = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let token = try await key.fingerprintToken()
      let authenticator = key.authenticator
      let id = try await key.run(onTouch: .fingerNeeded(authenticator, samplesLeft: nil)) {
        (session, wait) throws(CTAP2Error) in
        if let name { try FingerprintCommands.checkLength(name, try session.fingerprintSensor(wait)) }
        return try session.enrollFingerprint(token, wait) { sample in
          key.notify(.fingerSampled(authenticator, sample.status, samplesLeft: sample.remaining))
        }
      }
      let fingerprint = FingerprintTemplate(templateID: id, templateFriendlyName: name)
      guard let name else { return fingerprint }
      do throws(WebAuthnError) {
        try await key.run { (session, wait) throws(CTAP2Error) in
          try session.nameFingerprint(id, name, token, wait)
        }
      } catch {
        var problem = error
        problem.reason = "The fingerprint \(Hex.encode(id)) was enrolled, and naming it failed. \(error.reason)"
        throw problem
      }
      return fingerprint
    }
    try reportDone(
      FingerprintCommands.json(added), "The fingerprint was enrolled: \(FingerprintCommands.words(added)).", arguments,
      environment)
  }
}
