import CTAP2
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import WebAuthnClient

/// A credential, for people and for programs.
struct CredentialReport: Sendable {
  private let rpID: String?
  private let rpName: String?
  private let rpIDHash: [UInt8]
  private let isIDWhole: Bool
  private let user: UserEntity
  private let algorithm: Int?
  private let protection: Int?
  private let hasLargeBlob: Bool
  private let payment: Bool?
  /// The credential's ID in base64url.
  let id: String

  init(_ credential: StoredCredential) {
    rpID = credential.relyingParty.id
    rpName = credential.relyingParty.name
    rpIDHash = credential.relyingParty.idHash
    isIDWhole = credential.relyingParty.isIDWhole
    user = credential.user
    algorithm = credential.publicKey?.alg
    protection = credential.protection
    hasLargeBlob = credential.largeBlobKey != nil
    payment = credential.thirdPartyPayment
    id = Base64URL.encode(credential.id)
  }

  var json: JSONOutput {
    let text: (String?) -> JSONOutput = { $0.map(JSONOutput.string) ?? .null }
    let number: (Int?) -> JSONOutput = { $0.map(JSONOutput.int) ?? .null }
    return .object([
      ("id", .string(id)), ("rpId", text(rpID)), ("rpName", text(rpName)),
      ("rpIdHash", .string(Base64URL.encode(rpIDHash))), ("rpIdIsWhole", .bool(isIDWhole)),
      ("userHandle", .string(Base64URL.encode(user.id))), ("userName", text(user.name)),
      ("userDisplayName", text(user.displayName)), ("algorithm", number(algorithm)),
      ("credProtect", number(protection)), ("largeBlob", .bool(hasLargeBlob)),
      ("thirdPartyPayment", payment.map(JSONOutput.bool) ?? .null),
    ])
  }

  /// The site: its ID and name, or the hash where the key does not tell the ID.
  var site: String {
    let name = rpID.map(RelyingPartyID.shown) ?? "site with the hash \(Hex.encode(rpIDHash))"
    let whole = rpID == nil || isIDWhole ? name : name + "… (cut by the key)"
    guard let rpName, !rpName.isEmpty, rpName != rpID else { return whole }
    return "\(whole) (\(rpName))"
  }

  /// The account: its name and display name, or its handle where the key tells neither.
  var account: String {
    let names = [user.name, user.displayName].compactMap { $0 }.filter { !$0.isEmpty }
    guard let first = names.first else { return "user handle " + Base64URL.encode(user.id) }
    return names.count > 1 && names[1] != first ? "\(first) (\(names[1]))" : first
  }

  /// One line a fact.
  var lines: [String] {
    var facts: [(String, String)] = [
      ("ID", id), ("Site", site), ("Hash of the RP ID", Hex.encode(rpIDHash)), ("Name", user.name ?? "–"),
      ("Display name", user.displayName ?? "–"), ("User handle", Base64URL.encode(user.id)),
    ]
    if let algorithm { facts.append(("Algorithm", Self.name(ofAlgorithm: algorithm))) }
    if let protection { facts.append(("Protection", Self.words(protection))) }
    facts.append(("Large blob", hasLargeBlob ? "yes" : "no"))
    if let payment { facts.append(("Payments", payment ? "allowed" : "not allowed")) }
    return facts.map { $0.0.padded(to: 20) + $0.1 }
  }

  private static func name(ofAlgorithm number: Int) -> String {
    SignatureAlgorithm(rawValue: number).map { "\($0)".uppercased() + " (\(number))" } ?? "\(number)"
  }

  private static func words(_ level: Int) -> String {
    switch level {
    case 1: "1: usable without verification"
    case 2: "2: usable without verification where the site knows its ID"
    case 3: "3: usable with verification alone"
    default: "\(level)"
    }
  }
}
