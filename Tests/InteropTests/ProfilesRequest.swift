import Octets

/// The registrations that each certified key goes through.
enum ProfilesRequest: String, CaseIterable, Sendable {
  case usual, discoverable, verified, edDSA, excludingOthers, excludingItsOwn

  /// The answers to the questions about the request that are not the usual ones.
  var answers: [String: RuleValue] {
    var answers: [String: RuleValue] = [
      "request.residentKey": .text("preferred"), "request.userVerification": .text("preferred"),
      "request.attestation": .text("direct"),
    ]
    switch self {
    case .discoverable: answers["request.residentKey"] = .text("required")
    case .verified: answers["request.userVerification"] = .text("required")
    case .edDSA: answers["request.algorithms"] = .text("EdDSA")
    case .excludingItsOwn: answers["request.excludeList"] = .text("its own that fits")
    case .usual, .excludingOthers: break
    }
    return answers
  }

  var algorithms: [Int] { self == .edDSA ? [-8] : [-7, -8, -257] }

  var hasList: Bool { self == .excludingOthers || self == .excludingItsOwn }

  /// Two dozen ids of 16 to 246 bytes that no key has, more than nearly all take at once.
  private static let others: [[UInt8]] = (0..<24).map { [UInt8](repeating: UInt8($0), count: 16 + $0 * 10) }

  func json(own: [UInt8]) -> String {
    let ids = hasList ? Self.others + (self == .excludingItsOwn ? [own] : []) : []
    let list = ids.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))"}"# }.joined(separator: ",")
    let parameters = algorithms.map { #"{"type":"public-key","alg":\#($0)}"# }.joined(separator: ",")
    let residentKey = self == .discoverable ? "required" : "preferred"
    let verification = self == .verified ? "required" : "preferred"
    return #"""
      {"rp":{"id":"example.org","name":"Example"},"user":{"id":"dXNlcg","name":"alice","displayName":"Alice"},
      "challenge":"AAECAwQFBgcICQoLDA0ODw","pubKeyCredParams":[\#(parameters)],"attestation":"direct",
      "authenticatorSelection":{"residentKey":"\#(residentKey)","userVerification":"\#(verification)"},
      "excludeCredentials":[\#(list)]}
      """#
  }
}
