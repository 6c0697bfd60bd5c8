import FIDOCrypto
import Testing

@Suite("Errors")
struct CryptoErrorTests {
  static let sentences: [(CryptoError, String)] = [
    (.openSSL(operation: "sign", reasons: []), "OpenSSL could not sign."),
    (.openSSL(operation: "sign", reasons: ["one", "two"]), "OpenSSL could not sign: one; two."),
    (.invalidKey("off the curve"), "The key is not usable: off the curve."),
    (.invalidLength(what: "AAGUID", expected: 16, found: 15), "The AAGUID has 15 bytes where 16 are needed."),
    (.authenticationFailed, "The encrypted data does not authenticate."),
    (.invalidCertificate("cut"), "The certificate is not usable: cut."),
    (.unsupported("DSA"), "Not supported: DSA."),
  ]

  @Test("every error is a sentence", arguments: sentences)
  func sentence(_ error: CryptoError, text: String) {
    #expect("\(error)" == text)
  }
}
