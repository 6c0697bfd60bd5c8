import Testing

@testable import WebAuthnClient

struct RelyingPartyIDTests {
  /// The cases of Yubico/python-fido2, tests/test_rpid.py (values only).
  @Test(
    "the cases of python-fido2",
    arguments: [
      ("example.com", "https://register.example.com", true), ("example.com", "https://fido.example.com", true),
      ("example.com", "https://www.example.com:444", true), ("example.com", "http://example.com", false),
      ("example.com", "http://www.example.com", false), ("example.com", "https://example-test.com", false),
      ("companyA.hosting.example.com", "https://register.example.com", false),
      ("companyA.hosting.example.com", "https://companyB.hosting.example.com", false),
      ("co.uk", "https://foobar.co.uk", false), ("foobar.co.uk", "https://site.foobar.co.uk", true),
      ("appspot.com", "https://example.appspot.com", false),
      ("example.appspot.com", "https://example.appspot.com", true),
      ("example.bd", "https://evil.example.bd", false), ("example.ck", "https://evil.example.ck", false),
      ("example.np", "https://evil.example.np", false), ("example.bd", "https://example.bd", true),
      ("www.ck", "https://sub.www.ck", true), ("localhost", "http://localhost", true),
      ("localhost", "http://example.localhost", true), ("example.localhost", "http://example.localhost", true),
      ("localhost", "http://localhost:8000", true), ("localhost", "http://", false),
    ])
  func pythonFIDO2(_ identifier: String, _ origin: String, _ allowed: Bool) {
    let error = failure { () throws(WebAuthnError) in
      try RelyingPartyID.resolve(identifier, origin: Origin(origin))
    }
    #expect((error == nil) == allowed, "\(error?.reason ?? "allowed")")
    if let error { #expect(error.name == .securityError) }
  }

  @Test(
    "case, punycode and equality",
    arguments: [
      ("EXAMPLE.org", "https://login.example.ORG", "example.org"),
      ("bücher.example", "https://www.xn--bcher-kva.example", "xn--bcher-kva.example"),
      ("xn--bcher-kva.example", "https://www.bücher.example", "xn--bcher-kva.example"),
      ("co.uk", "https://co.uk", "co.uk"), ("com", "https://com", "com"),
      ("a.b.c.example.org", "https://a.b.c.example.org", "a.b.c.example.org"),
    ])
  func accepted(_ identifier: String, _ origin: String, _ expected: String) throws {
    #expect(try RelyingPartyID.resolve(identifier, origin: Origin(origin)) == expected)
  }

  @Test("without an RP ID the origin's domain is used")
  func absent() throws {
    #expect(try RelyingPartyID.resolve(nil, origin: Origin("https://Login.Example.org:8443")) == "login.example.org")
  }

  @Test(
    "an RP ID that is not the domain's or its parent's is SecurityError, with the reason",
    arguments: [
      ("https://example.org", "https://example.org", "not a domain name"),
      ("example.org:443", "https://example.org", "not a domain name"),
      ("example.org/", "https://example.org", "not a domain name"),
      ("example.org.", "https://example.org", "not a domain name"), ("", "https://example.org", "not a domain name"),
      (".example.org", "https://a.example.org", "not a domain name"),
      ("192.0.2.7", "https://example.org", "not a domain name"),
      ("ample.org", "https://example.org", "neither the domain"),
      ("login.example.org", "https://example.org", "neither the domain"),
      ("org", "https://example.org", "public suffix"), ("example", "https://a.example", "public suffix"),
      ("uk", "https://a.co.uk", "public suffix"), ("amazonaws.com", "https://x.s3.amazonaws.com", "public suffix"),
    ])
  func refused(_ identifier: String, _ origin: String, _ reason: String) {
    let error = failure { () throws(WebAuthnError) in
      try RelyingPartyID.resolve(identifier, origin: Origin(origin))
    }
    #expect(error?.name == .securityError)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "accepted")")
  }

  /// Ways to write what looks like example.org, or is mapped to it (UTS 46); the origin is https://login.example.org.
  private static let tricksOfWriting: [(String, isIt: Bool)] = [
    ("example.org", true), ("EXAMPLE.ORG", true), ("ＥＸＡＭＰＬＥ.org", true), ("example\u{3002}org", true),
    ("exam\u{ad}ple.org", true), ("\u{200b}example.org", true), ("example.org\u{0}", false),
    ("\u{0}example.org", false),
    ("example.org\u{0}.evil.com", false), (" example.org", false), ("example.org ", false), ("example.org\n", false),
    ("example%2eorg", false), ("example.org%00", false), ("example.org#", false), ("example.org?x", false),
    ("example.org\\", false), ("user@example.org", false), ("[example.org]", false), ("*.example.org", false),
    ("example..org", false), ("-example.org", false), ("ex\u{430}mple.org", false), ("example.\u{3bf}rg", false),
    ("example\u{2044}org", false), ("xn--example-.org", false), ("xn--.org", false), ("org.", false), (".", false),
    ("evil.example.org", false), ("login.example.org.", false), ("xlogin.example.org", false),
    ("localhost", false), ("localhost.", false), ("127.0.0.1", false), ("[::1]", false), ("0x7f.1", false),
    (String(repeating: "a.", count: 130) + "example.org", false),
    (String(repeating: "a", count: 64) + ".example.org", false),
  ]

  @Test("what is not the domain or its parent in one form of writing is not so in another", arguments: tricksOfWriting)
  func tricks(_ identifier: String, isIt: Bool) throws {
    let origin = try Origin("https://login.example.org")
    let error = failure { () throws(WebAuthnError) in
      #expect(try RelyingPartyID.resolve(identifier, origin: origin) == "example.org")
    }
    #expect((error == nil) == isIt, "\(error?.reason ?? "accepted")")
    if let error {
      #expect(error.name == .securityError)
      #expect(PlainText.shown(error.reason) == error.reason)
    }
  }

  @Test("a look-alike is shown in punycode, and so gives itself away")
  func homograph() {
    // Its first letter is Cyrillic.
    let error = failure { () throws(WebAuthnError) in
      try RelyingPartyID.resolve("\u{430}pple.com", origin: Origin("https://apple.com"))
    }
    #expect(
      error?.reason
        == "rp.id is \"xn--pple-43d.com\", which is neither the domain of https://apple.com nor a parent of it.")
  }

  @Test(
    "an RP ID that a key keeps is shown in ASCII",
    arguments: [
      ("example.org", "example.org"), ("\u{430}pple.com", "xn--pple-43d.com"), ("ssh:", "ssh:"), ("", ""),
      ("Example.ORG", "Example.ORG"), ("bücher.example", "xn--bcher-kva.example"),
      ("xn--bcher-kva.example", "xn--bcher-kva.example"),
      ("\u{430} b", #"\u{430} b"#), ("a\u{202e}b\u{1b}[2J", #"a\u{202e}b\u{1b}[2J"#), ("\u{200b}", #"\u{200b}"#),
    ])
  func shown(identifier: String, shown: String) {
    #expect(RelyingPartyID.shown(identifier) == shown)
  }

  @Test("an origin that is an address has no RP ID", arguments: ["https://192.0.2.7", "https://[::1]"])
  func address(_ origin: String) {
    for identifier in [nil, "192.0.2.7", "example.org"] {
      let error = failure { () throws(WebAuthnError) in
        try RelyingPartyID.resolve(identifier, origin: Origin(origin))
      }
      #expect(error?.name == .securityError)
    }
  }
}

/// The cases of the public suffix list's own tests/test_psl.txt (public domain).
struct PublicSuffixTests {
  @Test(
    "the cases of the public suffix list",
    arguments: [
      ("com", nil), ("example.com", "example.com"), ("www.example.com", "example.com"), ("example", nil),
      ("example.example", "example.example"), ("b.example.example", "example.example"),
      ("a.b.example.example", "example.example"), ("biz", nil), ("domain.biz", "domain.biz"),
      ("b.domain.biz", "domain.biz"), ("a.b.domain.biz", "domain.biz"), ("b.example.com", "example.com"),
      ("uk.com", nil), ("example.uk.com", "example.uk.com"), ("b.example.uk.com", "example.uk.com"),
      ("test.ac", "test.ac"), ("mm", nil), ("c.mm", nil), ("b.c.mm", "b.c.mm"), ("a.b.c.mm", "b.c.mm"), ("jp", nil),
      ("test.jp", "test.jp"), ("www.test.jp", "test.jp"), ("ac.jp", nil), ("test.ac.jp", "test.ac.jp"),
      ("www.test.ac.jp", "test.ac.jp"), ("kyoto.jp", nil), ("test.kyoto.jp", "test.kyoto.jp"), ("ide.kyoto.jp", nil),
      ("b.ide.kyoto.jp", "b.ide.kyoto.jp"), ("a.b.ide.kyoto.jp", "b.ide.kyoto.jp"), ("c.kobe.jp", nil),
      ("b.c.kobe.jp", "b.c.kobe.jp"), ("a.b.c.kobe.jp", "b.c.kobe.jp"), ("city.kobe.jp", "city.kobe.jp"),
      ("www.city.kobe.jp", "city.kobe.jp"), ("ck", nil), ("test.ck", nil), ("b.test.ck", "b.test.ck"),
      ("a.b.test.ck", "b.test.ck"), ("www.ck", "www.ck"), ("www.www.ck", "www.ck"), ("us", nil),
      ("test.us", "test.us"), ("www.test.us", "test.us"), ("ak.us", nil), ("test.ak.us", "test.ak.us"),
      ("www.test.ak.us", "test.ak.us"), ("k12.ak.us", nil), ("test.k12.ak.us", "test.k12.ak.us"),
      ("www.test.k12.ak.us", "test.k12.ak.us"), ("xn--85x722f.com.cn", "xn--85x722f.com.cn"),
      ("xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
      ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
      ("shishi.xn--55qx5d.cn", "shishi.xn--55qx5d.cn"), ("xn--55qx5d.cn", nil),
      ("xn--85x722f.xn--fiqs8s", "xn--85x722f.xn--fiqs8s"), ("www.xn--85x722f.xn--fiqs8s", "xn--85x722f.xn--fiqs8s"),
      ("shishi.xn--fiqs8s", "shishi.xn--fiqs8s"), ("xn--fiqs8s", nil),
    ] as [(String, String?)])
  func registrableDomain(_ domain: String, _ expected: String?) {
    #expect(PublicSuffix.registrableDomain(of: domain) == expected)
    #expect(PublicSuffix.contains(domain) == (expected == nil))
  }

  @Test(
    "names in other scripts become the punycode that the list is asked for",
    arguments: [
      ("食狮.com.cn", "xn--85x722f.com.cn"), ("食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
      ("食狮.中国", "xn--85x722f.xn--fiqs8s"), ("公司.cn", "xn--55qx5d.cn"),
    ])
  func punycode(_ name: String, _ expected: String) {
    #expect(HostName.asciiDomain(name) == expected)
  }
}
