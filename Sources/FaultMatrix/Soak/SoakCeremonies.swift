internal import FaultJudge
internal import Octets
internal import WebAuthnClient

/// The registrations and sign-ins of a soak, by their number.
struct SoakCeremony {
  /// The accounts that take turns: a discoverable credential takes the place of the one before.
  static let accounts = 4

  let number: Int
  /// Whether something goes wrong on the way.
  let isDisturbed: Bool

  /// Every second one is a sign-in.
  var isSignIn: Bool { !number.isMultiple(of: 2) }

  /// A registration and the sign-in after it are for the same account.
  private var account: Int { number / 2 % Self.accounts }

  /// Every fourth registration makes a discoverable credential, for the accounts in turn.
  private var isResident: Bool { number / 2 / Self.accounts % 4 == account }

  /// Every fifth is under the PIN.
  private var isUnderPIN: Bool { number / 2 % 5 == 0 }

  /// What is disturbed has an RP of its own, whose accounts no sign-in chooses from.
  private var rpID: String { isDisturbed && !isSignIn ? "disturbed.example" : "bank.example" }

  private var origin: String { "https://\(rpID)" }

  private var challenge: [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8) ^ $0) } }

  /// The account's user handle.
  var userHandle: [UInt8] { Array("account-\(account)".utf8) }

  private var verification: String { isUnderPIN ? "required" : "discouraged" }

  /// The registration.
  func registration() -> Ceremony {
    let json = """
      {"rp":{"id":"\(rpID)","name":"Bank"},"user":{"id":"\(Base64URL.encode(userHandle))","name":"alice",
      "displayName":"Alice"},"challenge":"\(Base64URL.encode(challenge))","attestation":"direct",
      "pubKeyCredParams":[{"type":"public-key","alg":-7}],"authenticatorSelection":{
      "residentKey":"\(isResident ? "required" : "discouraged")","userVerification":"\(verification)"}}
      """
    let task = Assignment.Registration(
      rpID: rpID, origin: origin, challenge: challenge, algorithms: [-7], isResident: isResident,
      demandsVerification: isUnderPIN)
    let origin = origin
    return Ceremony(name: "register", key: SoakKey.configuration, task: .registration(task)) { bench in
      await bench.register(json, origin: origin)
    }
  }

  /// The sign-in: with the credential that was made last, or with any discoverable one.
  func signIn(_ last: KnownCredential?, discoverable: [KnownCredential]) -> Ceremony {
    let isOpen = number / 2 % 3 == 0 && !discoverable.isEmpty
    let credentials = isOpen ? discoverable : last.map { [$0] } ?? []
    let list = isOpen ? [] : credentials.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0.id))"}"# }
    let json = """
      {"rpId":"\(rpID)","challenge":"\(Base64URL.encode(challenge))","userVerification":"\(verification)",
      "allowCredentials":[\(list.joined(separator: ","))]}
      """
    let task = Assignment.SignIn(
      rpID: rpID, origin: origin, challenge: challenge, credentials: credentials, demandsVerification: isUnderPIN)
    let origin = origin
    return Ceremony(name: "sign in", key: SoakKey.configuration, task: .signIn(task)) { bench in
      await bench.authenticate(json, origin: origin)
    }
  }
}
