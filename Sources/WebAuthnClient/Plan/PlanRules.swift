/// The rules of a plan, in the order in which they are applied.
///
/// WA is WebAuthn Level 3, CTAP is CTAP 2.1 unless a version is named.
enum PlanRule: String, CaseIterable, Sendable {
  /// WA §5.1.3: an authenticator whose attachment is not the one asked for is not a candidate.
  case attachment
  /// CTAP §7: a key that speaks U2F alone is spoken to in U2F, unless the caller rules that out.
  case u2fAlone
  /// The caller can demand U2F of every key.
  case u2fForced
  /// CTAP §6.4: a key without FIDO_2_0 or later has no makeCredential.
  case version
  /// CTAP §6.1.2 step 3, §6.4 (0x0A): one of the algorithms must be the key's.
  case algorithm
  /// WA §5.1.3: `required` needs a key with option `rk`.
  case residentKeyRequired
  /// WA §5.1.3: `preferred` makes a discoverable credential where the key can.
  case residentKeyPreferred
  /// CTAP §6.4 (0x14): a key that has no room is not asked to make one that is only preferred.
  case residentKeyRoom
  /// CTAP §6.5.5.7.1, §6.5.5.7.2, §6.4: with `noMcGaPermissionsWithClientPin` the PIN does not permit makeCredential.
  case pinPermission
  /// CTAP §6.1.1: built-in verification, where it is set up, comes before the PIN.
  case builtInFirst
  /// CTAP §6.1.1, §6.4: with `pinUvAuthToken` built-in verification gives a token, else the `uv` option is sent.
  case builtInToken
  /// CTAP §6.5.5.6: the PIN stands in where built-in verification is blocked.
  case pinFallback
  /// WA §5.4.6: `preferred` takes a credential that is not discoverable where no other can be made: the key wants
  /// verification for a discoverable one alone (CTAP §6.1.2 step 7), and there is no way to it.
  case residentKeyYields
  /// WA §5.1.3: `required` verifies the user.
  case verificationRequired
  /// WA §5.1.3: `preferred` verifies the user where the key is set up for it, and the way to it is open.
  case verificationPreferred
  /// CTAP §7.2: with `alwaysUv` every makeCredential is verified.
  case alwaysVerified
  /// CTAP 2.0 §5.1, CTAP §6.1.2: a key that is set up for verification insists on it, save for `makeCredUvNotRqd`.
  case protectedKey
  /// CTAP §6.4: `makeCredUvNotRqd` does not extend to discoverable credentials.
  case protectedResidentKey
  /// CTAP §7.2, and Chromium's choice: a key of CTAP 2.0 that insists on verification, which the request does without,
  /// makes the credential over U2F where that will do.
  case u2fInstead
  /// WA §5.1.3: a key that cannot verify the user is no candidate where it must.
  case verificationImpossible
  /// CTAP §6.5.5.7 (0x0C): with `forcePINChange` no token is given for the PIN.
  case pinMustChange
  /// CTAP §7.1: enterprise attestation where policy allows it and the key has it enabled.
  case enterpriseAttestation
}

/// A plan in the making.
struct PlanDraft {
  var plan = KeyPlan()
  /// The way to verify the user if it comes to that.
  var method = KeyPlan.Verification.none
  /// Whether the key's PIN permits a registration.
  var pinServes = false
  /// Whether the user is to be verified.
  var verifies = false

  /// Whether the way to verify can be gone on a key; a PIN that must be changed gives no token.
  func canVerify(_ key: KeyFacts) -> Bool {
    switch method {
    case .none: false
    case .pin: !key.mustChangePIN
    case .builtInToken, .builtInOption: true
    }
  }
}

extension PlanRule {
  /// Whether the rule looks at the request alone.
  var concernsEveryKey: Bool { self == .attachment }

  /// Whether the rule holds for getAssertion too, which a protected key gives without verification (CTAP §6.2.2).
  var concernsAuthentication: Bool {
    switch self {
    case .u2fAlone, .u2fForced, .version, .pinPermission, .builtInFirst, .builtInToken, .pinFallback,
      .verificationRequired,
      .verificationPreferred, .alwaysVerified, .verificationImpossible, .pinMustChange:
      true
    default: false
    }
  }

  /// Applies the rule to a draft.
  /// - Throws: Why the key is no candidate.
  func apply(to draft: inout PlanDraft, _ key: KeyFacts, _ wishes: KeyWishes) throws(KeyObjection) {
    switch self {
    case .u2fAlone, .u2fForced: try chooseProtocol(&draft, key, wishes)
    case .u2fInstead:
      if isServedByU2F(draft, key, wishes) { (draft.plan.usesU2F, draft.verifies) = (true, false) }
    case .attachment, .version, .algorithm: try checkCandidate(draft, key, wishes)
    case .residentKeyRequired, .residentKeyPreferred, .residentKeyRoom: try chooseResidence(&draft, key, wishes)
    case .pinPermission, .builtInFirst, .builtInToken, .pinFallback: chooseMethod(&draft, key)
    case .residentKeyYields:
      if yieldsResidence(draft, key, wishes) { draft.plan.residentKey = false }
    case .verificationRequired, .verificationPreferred, .alwaysVerified, .protectedKey, .protectedResidentKey:
      if demandsVerification(draft, key, wishes) { draft.verifies = true }
    case .verificationImpossible, .pinMustChange: try checkMethod(draft, key)
    case .enterpriseAttestation:
      if key.enterprise { draft.plan.enterpriseAttestation = wishes.enterprise }
    }
  }

  private func checkCandidate(
    _ draft: PlanDraft, _ key: KeyFacts, _ wishes: KeyWishes
  ) throws(KeyObjection) {
    switch self {
    case .attachment where !wishes.allowsSecurityKeys:
      throw KeyObjection(reason: "the request wants an authenticator that is built into the device")
    case .version where !key.speaksCTAP2 && !draft.plan.usesU2F:
      throw KeyObjection(
        reason: key.speaksU2F ? "it speaks U2F alone, which is not to be used" : "it speaks neither FIDO2 nor U2F")
    case .algorithm:
      guard let known = key.algorithms, !known.contains(where: wishes.algorithms.contains) else { return }
      let list = wishes.algorithms.map(String.init).joined(separator: ", ")
      let why = draft.plan.usesU2F ? "over U2F it has ES256 (-7) alone, and" : "it has none of the algorithms that"
      throw KeyObjection(reason: "\(why) the request allows (\(list))")
    default: break
    }
  }

  private func chooseProtocol(
    _ draft: inout PlanDraft, _ key: KeyFacts, _ wishes: KeyWishes
  ) throws(KeyObjection) {
    switch self {
    case .u2fAlone where !key.speaksCTAP2 && key.speaksU2F && wishes.u2f != .never: draft.plan.usesU2F = true
    case .u2fForced where wishes.u2f == .force:
      guard !key.alwaysVerifies else {
        throw KeyObjection(reason: "it always verifies its user and so speaks no U2F, which is to be used")
      }
      guard key.speaksU2F else { throw KeyObjection(reason: "it does not speak U2F, which is to be used") }
      draft.plan.usesU2F = true
    default: break
    }
  }

  /// Whether U2F makes what is asked for while CTAP2 would verify the user for the key's own sake alone.
  private func isServedByU2F(_ draft: PlanDraft, _ key: KeyFacts, _ wishes: KeyWishes) -> Bool {
    let isDispensable =
      wishes.userVerification == .discouraged || wishes.userVerification == .preferred && !draft.canVerify(key)
    let isPlain = !draft.plan.residentKey && wishes.enterprise == nil && !wishes.hasExtensionInputs
    return wishes.u2f == .automatic && key.speaksU2F && key.speaksCTAP2 && draft.verifies && !key.alwaysVerifies
      && isDispensable && isPlain && wishes.algorithms.contains(-7)
  }

  private func chooseResidence(
    _ draft: inout PlanDraft, _ key: KeyFacts, _ wishes: KeyWishes
  ) throws(KeyObjection) {
    switch (self, wishes.residentKey) {
    case (.residentKeyRequired, .required):
      guard key.residentKeys else {
        let reason =
          draft.plan.usesU2F
          ? "over U2F it has no discoverable credentials" : "it cannot store discoverable credentials"
        throw KeyObjection(reason: reason)
      }
      draft.plan.residentKey = true
    case (.residentKeyPreferred, .preferred): draft.plan.residentKey = key.residentKeys
    case (.residentKeyRoom, .preferred) where !key.hasRoom: draft.plan.residentKey = false
    default: break
    }
  }

  private func chooseMethod(_ draft: inout PlanDraft, _ key: KeyFacts) {
    switch self {
    case .pinPermission where key.pinCannotCreate: draft.pinServes = false
    case .builtInFirst where key.builtIn == true: draft.method = .builtInOption(pin: false)
    case .builtInToken:
      if case .builtInOption = draft.method, key.tokens { draft.method = .builtInToken(pin: false) }
    case .pinFallback where draft.pinServes && key.pin == true:
      switch draft.method {
      case .none: draft.method = .pin
      case .builtInToken: draft.method = .builtInToken(pin: true)
      case .builtInOption: draft.method = .builtInOption(pin: true)
      case .pin: break
      }
    default: break
    }
  }

  private func yieldsResidence(_ draft: PlanDraft, _ key: KeyFacts, _ wishes: KeyWishes) -> Bool {
    let isUnwanted = wishes.residentKey == .preferred && wishes.userVerification != .required
    return isUnwanted && !draft.canVerify(key) && key.createsUnverified && !key.alwaysVerifies && key.isProtected
  }

  private func demandsVerification(_ draft: PlanDraft, _ key: KeyFacts, _ wishes: KeyWishes) -> Bool {
    switch self {
    case .verificationRequired: wishes.userVerification == .required
    case .verificationPreferred: wishes.userVerification == .preferred && draft.canVerify(key)
    case .alwaysVerified: key.alwaysVerifies
    case .protectedKey: key.isProtected && !key.createsUnverified
    case .protectedResidentKey: key.isProtected && draft.plan.residentKey
    default: false
    }
  }

  private func checkMethod(_ draft: PlanDraft, _ key: KeyFacts) throws(KeyObjection) {
    guard draft.verifies else { return }
    switch (self, draft.method) {
    case (.verificationImpossible, .none) where draft.plan.usesU2F:
      throw KeyObjection(reason: "the user must be verified, which U2F cannot do")
    case (.verificationImpossible, .none): throw KeyObjection(reason: Self.cannotVerify(key))
    case (.pinMustChange, .pin) where key.mustChangePIN:
      throw KeyObjection(reason: "its PIN must be changed before it is used", kind: .pinMustChange)
    default: break
    }
  }

  private static func cannotVerify(_ key: KeyFacts) -> String {
    let need = "the user must be verified and "
    if key.pin == true { return need + "its PIN does not permit this, nor is its own verification set up" }
    if key.pin == false { return need + "it has no PIN yet; set one first" }
    if key.builtIn == false { return need + "its own verification is not set up" }
    return need + "it has neither a PIN nor verification of its own"
  }
}
