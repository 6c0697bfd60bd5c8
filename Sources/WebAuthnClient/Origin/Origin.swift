/// Where the request comes from, as the caller vouches: `https`, or `http` with `localhost`.
///
/// The origin is never read from the request, because the RP ID rule would then check nothing.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// `https` or `http`.
  public let scheme: String
  /// The port where it is not the scheme's own.
  public let port: UInt16?
  let host: HostName

  /// The ASCII serialisation that goes into the client data: `scheme://host[:port]`.
  public var serialized: String {
    "\(scheme)://\(host.serialized)" + (port.map { ":\($0)" } ?? "")
  }

  /// The ASCII serialisation.
  public var description: String { serialized }

  /// The domain that RP IDs are measured against, or nil where the host is an address.
  public var effectiveDomain: String? {
    if case .domain(let name) = host { name } else { nil }
  }

  /// Reads an origin as a browser's address bar shows it.
  ///
  /// One slash at the end is allowed, a path, a query, a fragment and user information are not. Upper case is lowered, an
  /// international name becomes punycode, the scheme's own port is dropped. A host that ends with a dot is another
  /// origin to browsers than the one without, and nearly always a slip: it is refused.
  /// - Throws: `SecurityError` with what was found, or `NotAllowedError` for the opaque origin `null`.
  public init(_ text: String) throws(WebAuthnError) {
    if text == "null" {
      throw WebAuthnError(
        .notAllowedError, .badOrigin, "The opaque origin null may not use WebAuthn; give an https origin.")
    }
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
      throw Self.refused(text, "it has no scheme such as https://")
    }
    let scheme = text[..<colon].lowercased()
    guard scheme == "https" || scheme == "http" else {
      throw Self.refused(text, "its scheme is \(scheme) and must be https, or http with localhost")
    }
    var rest = text[colon...].dropFirst(3)
    if rest.last == "/" { rest.removeLast() }
    guard !rest.contains("@") else { throw Self.refused(text, "it carries user information") }
    guard !rest.contains(where: { "/\\?#".contains($0) }) else {
      throw Self.refused(text, "it goes on after the host; leave the path, query and fragment out")
    }
    let (hostText, portText) = Self.split(rest)
    self.scheme = scheme
    port = try Self.port(portText, scheme: scheme, text)
    host = try Self.host(hostText, text)
    if scheme == "http" && !isLocalhost {
      throw Self.refused(text, "http is allowed with localhost alone; use https")
    }
  }

  private var isLocalhost: Bool {
    guard case .domain(let name) = host else { return false }
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  private static func split(_ rest: Substring) -> (host: Substring, port: Substring?) {
    // The colons inside an IPv6 address are not the port's.
    let from = rest.first == "[" ? rest.firstIndex(of: "]") ?? rest.endIndex : rest.startIndex
    guard let colon = rest[from...].firstIndex(of: ":") else { return (rest, nil) }
    return (rest[..<colon], rest[rest.index(after: colon)...])
  }

  private static func port(_ digits: Substring?, scheme: String, _ text: String) throws(WebAuthnError) -> UInt16? {
    guard let digits, !digits.isEmpty else { return nil }
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(digits)
    else { throw refused(text, "its port is not a number from 0 to 65535") }
    return port == (scheme == "https" ? 443 : 80) ? nil : port
  }

  private static func host(_ hostText: Substring, _ text: String) throws(WebAuthnError) -> HostName {
    guard !hostText.isEmpty else { throw refused(text, "it has no host") }
    guard hostText.last != "." else { throw refused(text, "its host ends with a dot; write it without") }
    do {
      return try HostName(parsing: hostText)
    } catch {
      throw refused(text, "its host is not a domain name or an address")
    }
  }

  private static func refused(_ text: String, _ why: String) -> WebAuthnError {
    WebAuthnError(.securityError, .badOrigin, "The origin \(PlainText.quoted(text)) cannot be used: \(why).")
  }
}
