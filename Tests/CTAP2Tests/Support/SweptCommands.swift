import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets

@testable import CTAP2

extension PINKey {
  /// Has the key answer so, where the closure has an answer, and else as before.
  fileprivate func answering(_ first: @escaping (FakeKey.Request) -> DeviceTransport.Reaction?) {
    let usual = key.answer
    key.answer = { request in try first(request) ?? usual(request) }
  }
}

extension SweptCommand {
  static let all: [SweptCommand] = plain + pins + credentials + fingerprints + settings

  private static let plain: [SweptCommand] = [
    SweptCommand(name: "getInfo", command: .getInfo) { _ = try $0.getInfo($1) },
    SweptCommand(name: "makeCredential", command: .makeCredential, special: [0x00: .mayExist, 0x2d: .mayExist]) {
      _ = try $0.makeCredential(Credentials.request(), token: nil, $1)
    },
    SweptCommand(name: "getAssertion", command: .getAssertion) {
      _ = try $0.getAssertion(
        GetAssertionRequest(rpID: Credentials.rpID, clientDataHash: Credentials.hash), token: nil, $1)
    },
    SweptCommand(name: "getNextAssertion", command: .getNextAssertion) {
      _ = try $0.getNextAssertion(rpID: Credentials.rpID, $1)
    },
    SweptCommand(
      name: "selection", command: .selection, isAnsweredEmptily: true,
      special: [
        // A key that does not know it is asked for a touch by makeCredential.
        0x01: .otherCommand,
        // Nobody has touched it yet, and there is time.
        0x2f: .timeout, 0x3a: .timeout,
      ]
    ) { try $0.select($1) },
    SweptCommand(name: "large blobs", command: .largeBlobs, prepare: { $0.key.info.options?["largeBlobs"] = true }) {
      _ = try $0.largeBlobs($1)
    },
    SweptCommand(name: "reset", command: .reset, isChange: true, isAnsweredEmptily: true) { try $0.reset($1) },
  ]

  private static func pin(
    _ name: String, _ part: ClientPINSubcommand, isChange: Bool = false, special: [UInt8: StatusFate] = [:],
    prepare: @escaping @Sendable (PINKey) -> Void = { _ in },
    _ run: @escaping @Sendable (KeySession, Wait) throws -> Void
  ) -> SweptCommand {
    SweptCommand(
      name: name, command: .clientPIN, part: (2, .unsigned(UInt64(part.rawValue))), isChange: isChange,
      isAnsweredEmptily: isChange, special: special, prepare: prepare, run: run)
  }

  private static func typed(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  private static let pins: [SweptCommand] = [
    pin("PIN retries", .getPINRetries) { _ = try $0.pinRetries($1) },
    pin("UV retries", .getUVRetries) { _ = try $0.uvRetries($1) },
    pin("key agreement", .getKeyAgreement) { _ = try $0.keyAgreement($1) },
    pin("set PIN", .setPIN, isChange: true, prepare: { $0.key.info.options?["clientPin"] = false }) {
      try $0.setPIN(typed("1234"), $1)
    },
    pin("change PIN", .changePIN, isChange: true) { try $0.changePIN(from: typed("1234"), to: typed("5678"), $1) },
    pin("PIN token", .getPINToken, prepare: { $0.key.info.options?["pinUvAuthToken"] = nil }) {
      _ = try $0.token(pin: typed("1234"), permissions: .makeCredential, rpID: "a", $1)
    },
    pin("PIN token with permissions", .getPINUVAuthTokenUsingPINWithPermissions) {
      _ = try $0.token(pin: typed("1234"), permissions: .makeCredential, rpID: "a", $1)
    },
    pin(
      "UV token", .getPINUVAuthTokenUsingUVWithPermissions, prepare: { $0.key.info.options?["uv"] = true }
    ) {
      _ = try $0.token(builtInUserVerification: .makeCredential, rpID: "a", $1)
    },
  ]

  private static func credential(
    _ name: String, _ part: CredentialManagementSubcommand, isChange: Bool = false,
    special: [UInt8: StatusFate] = [:], isPreview: Bool = false,
    begun: (CredentialManagementSubcommand, @Sendable (inout CredentialManagementResponse) -> Void)? = nil,
    _ run: @escaping @Sendable (KeySession, Wait) throws -> Void
  ) -> SweptCommand {
    SweptCommand(
      name: (isPreview ? "preview: " : "") + name,
      command: isPreview ? .credentialManagementPreview : .credentialManagement,
      part: (1, .unsigned(UInt64(part.rawValue))), isChange: isChange, isAnsweredEmptily: isChange, special: special,
      prepare: { key in
        if isPreview {
          key.key.info.options?["credMgmt"] = nil
          key.key.info.options?["credentialMgmtPreview"] = true
        }
        guard let begun else { return }
        key.answering { request in
          guard request.parameters?.mapValue?[1] == .unsigned(UInt64(begun.0.rawValue)) else { return nil }
          var first = CredentialManagementResponse()
          begun.1(&first)
          return .ok(first)
        }
      }, run: run)
  }

  private static let credentials: [SweptCommand] = [false, true].flatMap { isPreview in
    [
      credential("metadata", .getCredsMetadata, isPreview: isPreview) {
        _ = try $0.credentialMetadata(CredentialKey.token(), $1)
      },
      credential("relying parties", .enumerateRPsBegin, special: [0x2e: .success], isPreview: isPreview) {
        _ = try $0.relyingParties(CredentialKey.token(), $1)
      },
      credential("credentials", .enumerateCredentialsBegin, special: [0x2e: .success], isPreview: isPreview) {
        _ = try $0.credentials(of: StoredRelyingParty(id: "a"), CredentialKey.token(), $1)
      },
      credential(
        "next relying party", .enumerateRPsGetNextRP, isPreview: isPreview,
        begun: (
          .enumerateRPsBegin,
          { first in
            first.rp = RelyingPartyEntity(id: "a", name: "A")
            first.rpIDHash = Digest.sha256(Array("a".utf8))
            first.totalRPs = 2
          }
        )
      ) { _ = try $0.relyingParties(CredentialKey.token(), $1) },
      credential(
        "next credential", .enumerateCredentialsGetNextCredential, isPreview: isPreview,
        begun: (
          .enumerateCredentialsBegin,
          { first in
            first.user = UserEntity(id: [1])
            first.credentialID = CredentialDescriptor(id: [1])
            first.totalCredentials = 2
          }
        )
      ) { _ = try $0.credentials(of: StoredRelyingParty(id: "a"), CredentialKey.token(), $1) },
      credential("delete credential", .deleteCredential, isChange: true, isPreview: isPreview) {
        try $0.deleteCredential(CredentialDescriptor(id: [1]), CredentialKey.token(), $1)
      },
      // Previews do not have this part, and say so in several ways.
      credential(
        "rename account", .updateUserInformation, isChange: true,
        special: isPreview ? [0x01: .notOffered, 0x02: .notOffered, 0x3e: .notOffered] : [:], isPreview: isPreview
      ) {
        try $0.updateUser(UserEntity(id: [1]), of: CredentialDescriptor(id: [1]), CredentialKey.token(), $1)
      },
    ]
  }

  private static func finger(
    _ name: String, _ part: BioEnrollmentSubcommand, isChange: Bool = false, isAnsweredEmptily: Bool = false,
    special: [UInt8: StatusFate] = [:], isPreview: Bool = false, begins: Bool = false,
    _ run: @escaping @Sendable (KeySession, Wait) throws -> Void
  ) -> SweptCommand {
    SweptCommand(
      name: (isPreview ? "preview: " : "") + name, command: isPreview ? .bioEnrollmentPreview : .bioEnrollment,
      part: (2, .unsigned(UInt64(part.rawValue))), isChange: isChange, isAnsweredEmptily: isAnsweredEmptily,
      special: special,
      prepare: { key in
        if isPreview {
          key.key.info.options?["bioEnroll"] = nil
          key.key.info.options?["userVerificationMgmtPreview"] = true
        }
        guard begins else { return }
        key.answering { request in
          guard request.parameters?.mapValue?[2] == 1 else { return nil }
          var first = BioEnrollmentResponse()
          (first.templateID, first.lastEnrollSampleStatus, first.remainingSamples) = ([1], .good, 1)
          return .ok(first)
        }
      }, run: run)
  }

  private static let fingerprints: [SweptCommand] = [false, true].flatMap { isPreview in
    [
      // Nothing of what it tells has to be there.
      finger("sensor", .getFingerprintSensorInfo, isAnsweredEmptily: true, isPreview: isPreview) {
        _ = try $0.fingerprintSensor($1)
      },
      // How keys say that there is none.
      finger(
        "fingerprints", .enumerateEnrollments, isAnsweredEmptily: true, special: [0x2c: .success], isPreview: isPreview
      ) {
        _ = try $0.fingerprints(CredentialKey.token(), $1)
      },
      finger("enrol fingerprint", .enrollBegin, isChange: true, isPreview: isPreview) {
        _ = try $0.enrollFingerprint(CredentialKey.token(), $1)
      },
      finger("next sample", .enrollCaptureNextSample, isChange: true, isPreview: isPreview, begins: true) {
        _ = try $0.enrollFingerprint(CredentialKey.token(), $1)
      },
      finger("name fingerprint", .setFriendlyName, isChange: true, isAnsweredEmptily: true, isPreview: isPreview) {
        try $0.nameFingerprint([1], "thumb", CredentialKey.token(), $1)
      },
      finger("remove fingerprint", .removeEnrollment, isChange: true, isAnsweredEmptily: true, isPreview: isPreview) {
        try $0.removeFingerprint([1], CredentialKey.token(), $1)
      },
    ]
  }

  private static func setting(
    _ name: String, _ part: AuthenticatorConfigSubcommand,
    prepare: @escaping @Sendable (PINKey) -> Void = { _ in }, special: [UInt8: StatusFate] = [:],
    _ run: @escaping @Sendable (KeySession, Wait) throws -> Void
  ) -> SweptCommand {
    SweptCommand(
      name: name, command: .config, part: (1, .unsigned(UInt64(part.rawValue))), isChange: true,
      isAnsweredEmptily: true,
      // No PIN goes with a setting, so none has to be changed.
      special: special.merging([0x37: .status]) { first, _ in first }, prepare: prepare, run: run)
  }

  private static let settings: [SweptCommand] = [
    setting("enterprise attestation", .enableEnterpriseAttestation) { _ = try $0.enableEnterpriseAttestation(nil, $1) },
    setting(
      "always verify", .toggleAlwaysUv,
      // It is looked at again, and is as it was.
      special: [0x00: .misfit]
    ) { _ = try $0.setAlwaysUv(true, nil, $1) },
    setting("force a new PIN", .setMinPINLength) { try $0.forcePINChange(nil, $1) },
    setting("vendor's setting", .vendorPrototype, prepare: { $0.key.info.vendorPrototypeConfigCommands = [7] }) {
      try $0.vendorConfiguration(VendorPrototypeParameters(vendorCommandID: 7), nil, $1)
    },
    setting(
      "long touch for reset", .enableLongTouchForReset,
      prepare: { key in
        key.key.info.longTouchForReset = false
        key.key.info.authenticatorConfigCommands = nil
      }
    ) { _ = try $0.enableLongTouchForReset(nil, $1) },
  ]
}
