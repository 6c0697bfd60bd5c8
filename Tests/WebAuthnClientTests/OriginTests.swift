import Testing

@testable import WebAuthnClient

struct OriginTests {
  @Test(
    "an origin is serialised in ASCII, lower case, without its scheme's port",
    arguments: [
      ("https://example.org", "https://example.org"),
      ("https://example.org/", "https://example.org"),
      ("HTTPS://Example.ORG", "https://example.org"),
      ("https://example.org:443", "https://example.org"),
      ("https://example.org:8443", "https://example.org:8443"),
      ("https://example.org:", "https://example.org"),
      ("https://example.org:0443", "https://example.org"),
      ("http://localhost", "http://localhost"),
      ("http://localhost:80", "http://localhost"),
      ("http://localhost:8000", "http://localhost:8000"),
      ("http://app.localhost:3000", "http://app.localhost:3000"),
      ("https://localhost", "https://localhost"),
      ("https://bücher.example", "https://xn--bcher-kva.example"),
      ("https://BÜCHER.example", "https://xn--bcher-kva.example"),
      ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
      ("https://faß.example", "https://xn--fa-hia.example"),
      ("https://食狮.中国", "https://xn--85x722f.xn--fiqs8s"),
      ("https://a_b.example", "https://a_b.example"),
      ("https://192.0.2.7", "https://192.0.2.7"),
      ("https://0xC0.0.519", "https://192.0.2.7"),
      ("https://3221225991", "https://192.0.2.7"),
      ("https://0x7f.1", "https://127.0.0.1"),
      ("https://[2001:DB8:0:0:1:0:0:1]", "https://[2001:db8::1:0:0:1]"),
      ("https://[::1]:8443", "https://[::1]:8443"),
      ("https://[::]", "https://[::]"),
      ("https://[1::]", "https://[1::]"),
      ("https://[::ffff:192.0.2.7]", "https://[::ffff:c000:207]"),
      ("https://[1:0:2:3:4:5:6:7]", "https://[1:0:2:3:4:5:6:7]"),
    ])
  func serialised(_ text: String, _ expected: String) throws {
    let origin = try Origin(text)
    #expect(origin.serialized == expected)
    #expect("\(origin)" == expected)
  }

  @Test(
    "what is no origin that may use WebAuthn is refused, with the reason",
    arguments: [
      ("example.org", "no scheme"), ("", "no scheme"), ("https:example.org", "no scheme"),
      ("https:/example.org", "no scheme"), ("ftp://example.org", "its scheme is ftp"),
      ("http://example.org", "localhost alone"), ("http://localhost.example.org", "localhost alone"),
      ("http://127.0.0.1", "localhost alone"), ("http://[::1]", "localhost alone"),
      ("https://", "no host"), ("https:///", "no host"), ("https://:8080", "no host"),
      ("https://user@example.org", "user information"), ("https://user:pw@example.org", "user information"),
      ("https://example.org/path", "goes on after the host"), ("https://example.org//", "goes on after the host"),
      ("https://example.org?x", "goes on after the host"), ("https://example.org#x", "goes on after the host"),
      ("https://example.org\\x", "goes on after the host"),
      ("https://example.org.", "ends with a dot"), ("http://localhost.", "ends with a dot"),
      ("https://example.org:port", "port"), ("https://example.org:65536", "port"), ("https://example.org:-1", "port"),
      ("https://exa mple.org", "not a domain"), ("https://exa%6dple.org", "not a domain"),
      ("https://a..b", "not a domain"), ("https://.example.org", "not a domain"),
      ("https://256.0.0.1", "not a domain"), ("https://1.2.3.4.5", "not a domain"), ("https://example.1x", ""),
      ("https://a.08", "not a domain"), ("https://[::1", "not a domain"), ("https://[::g]", "not a domain"),
      ("https://[::1%25eth0]", "not a domain"), ("https://xn--a", "not a domain"),
      ("https://\u{0}.org", "not a domain"), ("https://" + String(repeating: "a", count: 64) + ".org", "not a domain"),
      ("https://" + String(repeating: "abcdefg.", count: 32) + "org", "not a domain"),
    ].filter { $0.1 != "" })
  func refused(_ text: String, _ reason: String) {
    let error = failure { () throws(WebAuthnError) in try Origin(text) }
    #expect(error?.name == .securityError)
    #expect(error?.kind == .badOrigin)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "accepted")")
  }

  @Test("the opaque origin is NotAllowedError")
  func opaque() {
    #expect(failure { () throws(WebAuthnError) in try Origin("null") }?.name == .notAllowedError)
  }

  @Test("a refused origin is shown without what could disturb a terminal")
  func shown() {
    let error = failure { () throws(WebAuthnError) in
      try Origin("\u{1b}[2J\u{202e}" + String(repeating: "x", count: 100))
    }
    #expect(error?.reason.contains("\\u{1b}[2J\\u{202e}xxx") == true)
    #expect(error?.reason.contains("…\"") == true)
  }

  @Test("an origin has an effective domain unless its host is an address")
  func effectiveDomain() throws {
    #expect(try Origin("https://a.example:1").effectiveDomain == "a.example")
    #expect(try Origin("https://192.0.2.7").effectiveDomain == nil)
    #expect(try Origin("https://[::1]").effectiveDomain == nil)
  }
}
