internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto

/// The checks of authenticator data that both ceremonies share (WebAuthn L3 §7.1 steps 14 to 18, §7.2 steps 16 to 20).
extension CheckList {
  mutating func checkAuthenticatorData(
    _ data: AuthenticatorData, relyingPartyID: String?, requiresUserVerification: Bool
  ) {
    check(.relyingPartyID) {
      guard let relyingPartyID else {
        return .notChecked("the request names no RP ID, and no origin was given to take it from")
      }
      return Digest.sha256(Array(relyingPartyID.utf8)) == data.rpIDHash
        ? .passed(relyingPartyID) : .failed("it is not the hash of \(relyingPartyID)")
    }
    require(.userPresent, data.flags.contains(.userPresent), else: "UP is clear: nobody touched the key")
    check(.userVerified) {
      let verified = data.flags.contains(.userVerified)
      guard requiresUserVerification else {
        return .passed(verified ? "verified, and not required" : "not verified, and not required")
      }
      return verified ? .passed("verified") : .failed("UV is clear, and the request requires it")
    }
    check(.backup) {
      switch data.backup {
      case .deviceBound: .passed("bound to one device")
      case .eligible: .passed("can be backed up, and is not")
      case .backedUp: .passed("backed up")
      case .contradiction: .failed("BS is set without BE")
      }
    }
  }

  mutating func checkIdentifiers(_ type: String, _ identifiers: [[UInt8]], _ expected: [UInt8]?) {
    require(.type, type == "public-key", else: "it is \"\(type.prefix(200))\"")
    check(.credentialID) {
      guard let first = identifiers.first else { return .failed("it is missing") }
      guard identifiers.allSatisfy({ $0 == first }) else { return .failed("id and rawId differ") }
      guard let expected else { return .failed("there is no credential to compare it with") }
      return first == expected ? .passed("") : .failed("it is not the credential's")
    }
  }

  mutating func noteExtensions(_ names: [String], _ data: AuthenticatorData?) {
    let signed = data?.extensions?.keys.compactMap(\.textValue) ?? []
    guard !names.isEmpty || !signed.isEmpty else { return }
    let all = names + signed.filter { !names.contains($0) }
    check(.extensions) {
      .notChecked("what their results mean is between server and client: \(all.joined(separator: ", "))")
    }
  }
}

extension RelyingPartyPolicy {
  /// The request's RP ID, or the domain of the one origin that is expected (WebAuthn L3 §5.4.2, §5.5).
  func relyingPartyID(_ requested: String?) -> String? {
    if let requested { return requested }
    guard origins.count == 1, let origin = origins.first, let start = origin.firstRange(of: "://")?.upperBound else {
      return nil
    }
    return String(origin[start...].prefix { $0 != ":" && $0 != "/" })
  }
}
