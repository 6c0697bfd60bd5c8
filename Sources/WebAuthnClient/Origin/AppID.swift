/// The rule that ties an AppID of U2F to an origin (FIDO AppID and Facet Specification 1.2 §3.1.2).
///
/// 1. An empty one stands for the origin itself, written without a slash at its end, as browsers have it.
/// 2. Any other is an https URL, and the origin is https too.
/// 3. Its host is the origin's, or both have the same registrable domain.
/// 4. Two AppIDs of Google's are for every origin under google.com, as in browsers.
///
/// Lists of trusted facets are not fetched: they need a network, and no browser fetches them any more. What is hashed is
/// the text as it was given.
enum AppID {
  /// The AppID to use.
  ///
  /// - Parameters:
  ///   - text: the AppID as the request has it.
  ///   - path: where the request has it.
  ///   - origin: where the request comes from.
  /// - Throws: `SecurityError` where the origin may not use it.
  static func resolve(_ text: String, path: String, origin: Origin) throws(WebAuthnError) -> String {
    if text.isEmpty { return origin.serialized }
    func refused(_ why: String) -> WebAuthnError {
      WebAuthnError(
        .securityError, .badOrigin,
        "\(path) is \(PlainText.quoted(text)), which \(origin) may not use: \(why). Leave the AppID out, or use one of "
          + "the site's own.")
    }
    guard let host = host(of: text) else { throw refused("it is not an https URL") }
    guard origin.scheme == "https", let domain = origin.effectiveDomain else {
      throw refused("the origin is not an https one with a domain name")
    }
    if host == domain { return text }
    let site = PublicSuffix.registrableDomain(of: domain)
    if let site, site == PublicSuffix.registrableDomain(of: host) { return text }
    if site == "google.com", googles.contains(text) { return text }
    throw refused("it belongs to another site")
  }

  private static let googles = [
    "https://www.gstatic.com/securitykey/origins.json",
    "https://www.gstatic.com/securitykey/a/google.com/origins.json",
  ]

  /// The domain of an https URL, in lower-case ASCII.
  private static func host(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":"), text[..<colon].lowercased() == "https",
      text[colon...].hasPrefix("://")
    else { return nil }
    let authority = text[colon...].dropFirst(3).prefix { !"/?#\\".contains($0) }
    guard let origin = try? Origin("https://" + authority) else { return nil }
    return origin.effectiveDomain
  }
}
