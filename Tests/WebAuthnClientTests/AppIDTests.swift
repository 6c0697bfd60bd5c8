import Testing

@testable import WebAuthnClient

struct AppIDTests {
  @Test(
    "an AppID of the origin's own site may be used, as it is written",
    arguments: [
      ("https://example.org", "https://example.org", "https://example.org"),
      ("https://example.org/", "https://example.org", "https://example.org/"),
      ("https://example.org/app-id.json?a=b#c", "https://example.org", "https://example.org/app-id.json?a=b#c"),
      ("HTTPS://EXAMPLE.org/x", "https://example.org", "HTTPS://EXAMPLE.org/x"),
      ("https://example.org:8443/x", "https://example.org", "https://example.org:8443/x"),
      ("https://u2f.example.org/x", "https://login.example.org", "https://u2f.example.org/x"),
      ("https://example.co.uk", "https://www.example.co.uk", "https://example.co.uk"),
      ("", "https://example.org", "https://example.org"),
      ("", "http://localhost:8080", "http://localhost:8080"),
      (
        "https://www.gstatic.com/securitykey/origins.json", "https://accounts.google.com",
        "https://www.gstatic.com/securitykey/origins.json"
      ),
    ])
  func allowed(_ text: String, _ origin: String, _ result: String) throws {
    #expect(try AppID.resolve(text, path: "extensions.appid", origin: Origin(origin)) == result)
  }

  @Test(
    "an AppID of another site, or none at all, is a SecurityError that says why",
    arguments: [
      ("https://example.com", "https://example.org", "another site"),
      ("https://example.org.evil.example", "https://example.org", "another site"),
      ("https://co.uk", "https://example.co.uk", "another site"),
      ("https://a.co.uk", "https://b.co.uk", "another site"),
      ("https://a.github.io", "https://b.github.io", "another site"),
      ("http://example.org", "https://example.org", "not an https URL"),
      ("example.org", "https://example.org", "not an https URL"),
      ("https://", "https://example.org", "not an https URL"),
      ("https://user@example.org", "https://example.org", "not an https URL"),
      ("https://[::1]/", "https://example.org", "not an https URL"),
      ("https://localhost", "http://localhost", "not an https one"),
      ("https://www.gstatic.com/securitykey/origins.json", "https://example.org", "another site"),
      ("https://www.gstatic.com/other.json", "https://accounts.google.com", "another site"),
    ])
  func refused(_ text: String, _ origin: String, _ why: String) throws {
    do {
      _ = try AppID.resolve(text, path: "extensions.appid", origin: Origin(origin))
      Issue.record("it was allowed")
    } catch {
      #expect(error.name == .securityError)
      #expect(error.reason.contains("extensions.appid is"), "\(error)")
      #expect(error.reason.contains(why), "\(error)")
    }
  }
}
