import Testing
import WebAuthnClient

@Suite("Text for people")
struct PlainTextTests {
  @Test(
    "what disturbs, misleads or hides itself is escaped, and nothing else",
    arguments: [
      ("Schlüssel 🔑 ключ 鍵", "Schlüssel 🔑 ключ 鍵"), ("", ""), ("a\nb\u{1b}[2Jc\u{7f}", #"a\u{a}b\u{1b}[2Jc\u{7f}"#),
      ("a\u{9b}31mb", #"a\u{9b}31mb"#), ("\u{202e}gnp", #"\u{202e}gnp"#), ("\u{2066}a\u{2069}", #"\u{2066}a\u{2069}"#),
      ("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#),
      ("a\u{200b}\u{feff}\u{200f}\u{ad}", #"a\u{200b}\u{feff}\u{200f}\u{ad}"#),
      ("👩\u{200d}🚀 می\u{200c}خواهم", "👩\u{200d}🚀 می\u{200c}خواهم"),
    ])
  func shown(text: String, shown: String) {
    #expect(PlainText.shown(text) == shown)
    #expect(PlainText.quoted(text) == "\"\(shown)\"")
  }

  @Test("quoted text is cut after 60 code points, also within one endless grapheme")
  func cut() {
    let sixty = String(repeating: "a", count: 60)
    #expect(PlainText.quoted(sixty) == "\"\(sixty)\"")
    #expect(PlainText.quoted(sixty + "a") == "\"\(sixty)…\"")
    let endless = "a" + String(repeating: "\u{301}", count: 10_000)
    #expect(PlainText.quoted(endless).unicodeScalars.count == 63)
  }

  @Test("marks and joiners of ordinary names are fit, controls and direction changes are not")
  func names() {
    for scalar in "aé🔑\u{200c}\u{200d}\u{200e}\u{200f}\u{61c}".unicodeScalars { #expect(!PlainText.isUnfit(scalar)) }
    for scalar in "\0\t\u{1b}\u{7f}\u{85}\u{9b}\u{2028}\u{202a}\u{202e}\u{2066}\u{2069}".unicodeScalars {
      #expect(PlainText.isUnfit(scalar))
    }
  }
}
