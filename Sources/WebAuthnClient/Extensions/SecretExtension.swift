internal import CBOR
internal import CTAPMessages
internal import JSONText
internal import Octets

/// `prf`, `hmacCreateSecret` and `hmacGetSecret`: a secret function that the key keeps with the credential
/// (WebAuthn L3 §10.1.4, CTAP 2.2 §12.7, §12.8).
///
/// At registration the answer is whether it exists, and its values where the key gives them at creation already; at
/// authentication the values. A key has two functions for each credential, with and without user verification. Those of
/// prf are always of the first (WebAuthn L3 §10.1.4), so the user is verified where the key is set up for it, and there
/// are no values where it is not.
public struct SecretExtension: ClientExtension {
  private static let createMember = "hmacCreateSecret"
  private static let getMember = "hmacGetSecret"
  private static let results = ("first", "second")

  /// Creates the extension.
  public init() {}

  /// `prf`.
  public var identifier: String { "prf" }

  /// `prf`, `hmacCreateSecret` and `hmacGetSecret`.
  public var members: [String] { [identifier, Self.createMember, Self.getMember] }

  // MARK: Registration

  /// Wants an object in `prf`, or `true` in `hmacCreateSecret`, or both.
  /// - Throws: `NotSupportedError` for `evalByCredential`, which has no meaning before the credential exists.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    let prf = inputs[identifier]
    if let prf, prf.kind != .object { return .malformed("\(prf.path) is \(prf.found); expected an object") }
    if let byCredential = prf?["evalByCredential"], byCredential.kind != .null {
      throw WebAuthnError(
        .notSupportedError, .badRequest, "\(byCredential.path) is there; expected none in a registration.")
    }
    var creation = Creation(prf: prf != nil)
    do throws(SecretSalts.Malformation) {
      creation.salts = try Self.eval(prf)
    } catch {
      return .malformed(error.reason)
    }
    switch inputs.flag(Self.createMember) {
    case .malformed(let problem): return .malformed(problem)
    case .honoured:
      creation.secret = true
      return .honoured(creation)
    case .notRequested: return prf == nil ? .notRequested : .honoured(creation)
    }
  }

  private static func eval(_ prf: JSONValue?) throws(SecretSalts.Malformation) -> SecretSalts? {
    guard let eval = prf?["eval"], eval.kind != .null else { return nil }
    return try SecretSalts(prfValues: eval)
  }

  private struct Creation: RegistrationExtension {
    var prf: Bool
    var secret = false
    var salts: SecretSalts?

    func wantsVerification(on authenticator: AuthenticatorInfo) -> Bool {
      salts != nil && authenticator.supports("hmac-secret-mc")
    }

    func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue] {
      authenticator.supports("hmac-secret") ? ["hmac-secret": .bool(true)] : [:]
    }

    func secretSalts(for authenticator: AuthenticatorInfo, verified: Bool) -> SecretBytes? {
      verified && authenticator.supports("hmac-secret") ? salts?.salts : nil
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      let exists = created.authenticatorData.extensions?["hmac-secret"]?.boolValue ?? false
      var outputs: [ExtensionOutput] = []
      if prf {
        var members: [(String, JSONOutput)] = [("enabled", .bool(exists))]
        if salts != nil, created.authenticatorData.flags.contains(.userVerified), let secrets = created.secrets {
          members.append(("results", SecretSalts.object(secrets, names: SecretExtension.results)))
        }
        outputs.append(ExtensionOutput("prf", .object(members)))
      }
      if secret { outputs.append(ExtensionOutput(SecretExtension.createMember, .bool(exists))) }
      return outputs
    }
  }

  // MARK: Authentication

  /// Wants an object with `eval`, `evalByCredential` or both in `prf`, or an object with `salt1` and perhaps `salt2` in
  /// `hmacGetSecret`, but not both.
  /// - Throws: `NotSupportedError` for `evalByCredential` without an allow list, `SyntaxError` where it names a
  ///   credential that is not in the list.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    let (prf, raw) = (inputs[identifier], inputs[Self.getMember])
    if let prf, let raw { return .malformed("\(raw.path) is there beside \(prf.path); expected one of them") }
    var byCredential: SaltsByCredential?
    if let member = prf?["evalByCredential"], member.kind != .null {
      switch try SaltsByCredential.read(member, allowed: request.options.allowedCredentials) {
      case .success(let salts): byCredential = salts
      case .failure(let malformation): return .malformed(malformation.reason)
      }
    }
    do throws(SecretSalts.Malformation) {
      if let raw { return .honoured(RawEvaluation(salts: try SecretSalts(hmacSalts: raw))) }
      guard let prf else { return .notRequested }
      guard prf.kind == .object else { return .malformed("\(prf.path) is \(prf.found); expected an object") }
      return .honoured(Evaluation(salts: try Self.eval(prf), byCredential: byCredential))
    } catch {
      return .malformed(error.reason)
    }
  }

  /// prf at work.
  private struct Evaluation: AuthenticationExtension {
    let salts: SecretSalts?
    let byCredential: SaltsByCredential?

    var dependsOnCredential: Bool { byCredential != nil }

    func wantsVerification(on authenticator: AuthenticatorInfo) -> Bool {
      (salts != nil || byCredential != nil) && authenticator.supports("hmac-secret")
    }

    func secretSalts(
      for authenticator: AuthenticatorInfo, credentialID: [UInt8]?, verified: Bool
    ) -> SecretBytes? {
      guard verified else { return nil }
      return (credentialID.flatMap { byCredential?[$0] } ?? salts)?.salts
    }

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] {
      // Without verification it would be the other function's values.
      guard assertion.authenticatorData.flags.contains(.userVerified), let secrets = assertion.secrets else {
        return [ExtensionOutput("prf", [:])]
      }
      return [
        ExtensionOutput("prf", ["results": SecretSalts.object(secrets, names: SecretExtension.results)])
      ]
    }
  }

  /// hmacGetSecret at work: of the function that goes with how the user was verified.
  private struct RawEvaluation: AuthenticationExtension {
    let salts: SecretSalts

    func secretSalts(
      for authenticator: AuthenticatorInfo, credentialID: [UInt8]?, verified: Bool
    ) -> SecretBytes? { salts.salts }

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] {
      guard let secrets = assertion.secrets else { return [] }
      return [
        ExtensionOutput(SecretExtension.getMember, SecretSalts.object(secrets, names: ("output1", "output2")))
      ]
    }
  }
}
