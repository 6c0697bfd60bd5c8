/// The rule that ties an RP ID to an origin (WebAuthn L3 §5.1.2, HTML "is a registrable domain suffix of or is equal to").
///
/// Related origins (`/.well-known/webauthn`, WebAuthn L3 §5.11) are not followed: they need a network, which this
/// library has no business with, so an RP ID that only they would allow is refused.
public enum RelyingPartyID {
  /// The RP ID to use: `requested` where the origin may use it, or the origin's own domain where none is asked for.
  /// - Throws: `SecurityError` where the origin has no domain or may not use the RP ID.
  public static func resolve(_ requested: String?, origin: Origin) throws(WebAuthnError) -> String {
    guard let domain = origin.effectiveDomain else {
      throw refused("The origin \(origin) is an address; WebAuthn needs a domain name.")
    }
    guard let requested else { return domain }
    guard let identifier = HostName.asciiDomain(requested), !HostName.endsInNumber(identifier) else {
      throw refused(
        "rp.id is \(PlainText.quoted(requested)), which is not a domain name; expected one such as \(PlainText.quoted(domain)), "
          + "without scheme, port or path.")
    }
    // In ASCII, so that no letter passes for another.
    let shown = PlainText.quoted(identifier)
    if identifier == domain { return identifier }
    guard domain.hasSuffix("." + identifier) else {
      throw refused(
        "rp.id is \(shown), which is neither the domain of \(origin) nor a parent of it.")
    }
    guard !isShared(identifier, under: domain) else {
      throw refused("rp.id is \(shown), a public suffix that many sites share.")
    }
    return identifier
  }

  /// An RP ID for people: in ASCII, so that no letter passes for another, and fit for a terminal.
  ///
  /// A host name is shown in its punycode form; what is none, and still has other letters, with them as `\u{…}`. Keys keep
  /// what any program gave them.
  public static func shown(_ identifier: String) -> String {
    if identifier.utf8.allSatisfy({ $0 < 0x80 }) { return PlainText.shown(identifier) }
    if let name = HostName.asciiDomain(identifier) { return name }
    return identifier.unicodeScalars.map { scalar in
      scalar.isASCII ? PlainText.shown(String(scalar)) : "\\u{\(String(scalar.value, radix: 16))}"
    }.joined()
  }

  /// Whether the identifier is a public suffix, or a part of the domain's own public suffix.
  private static func isShared(_ identifier: String, under domain: String) -> Bool {
    // Browsers let every name under localhost use it, although no list names it.
    if identifier == "localhost" { return false }
    if PublicSuffix.contains(identifier) { return true }
    guard let suffix = PublicSuffix.suffix(of: domain) else { return false }
    return suffix == identifier || suffix.hasSuffix("." + identifier)
  }

  private static func refused(_ reason: String) -> WebAuthnError {
    WebAuthnError(.securityError, .badOrigin, reason)
  }
}
