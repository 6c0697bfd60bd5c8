internal import JSONText
internal import Octets

/// The checks of the client data, which both ceremonies share (WebAuthn L3 §7.1 steps 5 to 11, §7.2 steps 9 to 15).
extension CheckList {
  mutating func checkClientData(
    _ bytes: [UInt8], type: String, challenge: [UInt8], policy: RelyingPartyPolicy
  ) {
    // Read when the first of the checks is made, so that a failure before it costs nothing.
    let data = (try? JSONDocument(parsing: bytes))?.root
    check(.clientData) {
      guard let data, data.kind == .object else { return .failed("it is not a JSON object") }
      guard data["type"]?.stringValue == type else {
        return .failed("its type is \(data["type"].words), and the ceremony is \(type)")
      }
      return .passed("")
    }
    check(.challenge) {
      let expected = Base64URL.encode(challenge)
      return data?["challenge"]?.stringValue == expected
        ? .passed("") : .failed("it is \(data?["challenge"].words ?? "missing"), and the request has \"\(expected)\"")
    }
    check(.origin) {
      guard let origin = data?["origin"]?.stringValue else { return .failed("it is missing") }
      guard !policy.origins.isEmpty else { return .notChecked("no origin was given; the response has \(origin)") }
      return policy.origins.contains(origin)
        ? .passed(origin) : .failed("it is \(origin), and \(policy.origins.joined(separator: " or ")) is expected")
    }
    check(.crossOrigin) { Self.crossOrigin(data, policy) }
  }

  private static func crossOrigin(_ data: JSONValue?, _ policy: RelyingPartyPolicy) -> Check.Outcome {
    guard let data else { return .failed("there is no client data") }
    guard data["crossOrigin"].map({ $0.boolValue != nil }) ?? true else {
      return .failed("crossOrigin is neither true nor false")
    }
    let isCross = data["crossOrigin"]?.boolValue ?? false
    guard isCross || data["topOrigin"] != nil else { return .passed("") }
    guard !policy.topOrigins.isEmpty else {
      return .failed("the ceremony was inside a page of another site, and none was given that may do so")
    }
    // Clients from before `topOrigin` say only that there was another page.
    guard let top = data["topOrigin"] else { return .notChecked("the response does not say which page it was inside") }
    guard let text = top.stringValue, policy.topOrigins.contains(text) else {
      return .failed("the page around it is of \(top.words), which was not given")
    }
    return isCross ? .passed("inside a page of \(text)") : .failed("topOrigin is there without crossOrigin")
  }
}

extension JSONValue? {
  /// A member for people, or that it is missing.
  fileprivate var words: String { self?.words ?? "missing" }
}

extension JSONValue {
  fileprivate var words: String { stringValue.map { "\"\($0.prefix(200))\"" } ?? "no text" }
}
