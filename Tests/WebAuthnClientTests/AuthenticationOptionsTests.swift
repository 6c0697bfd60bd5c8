import CTAPMessages
import JSONText
import Octets
import Testing

@testable import WebAuthnClient

struct AuthenticationOptionsTests {
  private func options(_ text: String) throws(WebAuthnError) -> AuthenticationOptions {
    try AuthenticationOptions(parsing: Array(text.utf8))
  }

  @Test("every member is read")
  func everyMember() throws {
    let options = try options(
      #"""
      {"challenge":"AAEC","timeout":60000,"rpId":"example.org","userVerification":"required","hints":["hybrid","x"],
      "allowCredentials":[{"type":"public-key","id":"AQID","transports":["usb","y"]},{"type":"z","id":"BA"}],
      "extensions":{"a":1},"unknown":{}}
      """#)
    #expect(options.challenge == [0, 1, 2])
    #expect(options.timeout == .seconds(60))
    #expect(options.relyingPartyID == "example.org")
    #expect(options.userVerification == .required)
    #expect(options.hints == [.hybrid])
    #expect(options.allowedCredentials?.map(\.id) == [[1, 2, 3]])
    #expect(options.allowedCredentials?.first?.transports == nil)
    #expect(options.extensions?["a"]?.integerValue == 1)
  }

  @Test("what is left out, null or unknown has its default")
  func defaults() throws {
    for more in ["", #","rpId":null,"allowCredentials":null,"userVerification":null"#, #","userVerification":"soon""#] {
      let options = try options("{\"challenge\":\"AA\"\(more)}")
      #expect(options.relyingPartyID == nil)
      #expect(options.timeout == nil)
      #expect(options.allowedCredentials == nil)
      #expect(options.userVerification == .preferred)
      #expect(options.hints.isEmpty)
      #expect(options.extensions == nil)
    }
  }

  @Test("an empty list is no list, and a list of unknown types allows nothing")
  func lists() throws {
    #expect(try options(#"{"challenge":"AA","allowCredentials":[]}"#).allowedCredentials == nil)
    let strange = try options(#"{"challenge":"AA","allowCredentials":[{"type":"x","id":"AA"}]}"#)
    #expect(strange.allowedCredentials?.isEmpty == true)
  }

  @Test(
    "the options are found in every envelope",
    arguments: [
      #"{"publicKey":{"challenge":"AAEC"}}"#, #"{"fido2":{"challenge":"AAEC"},"userId":"u"}"#,
      #"{"status":"ok","errorMessage":"","challenge":"AAEC"}"#, #"{"fido2":{"publicKey":{"challenge":"AAEC"}}}"#,
    ])
  func envelopes(_ text: String) throws {
    #expect(try options(text).challenge == [0, 1, 2])
  }

  @Test(
    "what is wrong is named by its path",
    arguments: [
      ("{}", WebAuthnErrorName.typeError, "challenge is missing"),
      (#"{"challenge":"A="}"#, .encodingError, "challenge is not base64url"),
      (#"{"challenge":1}"#, .encodingError, "challenge is the number 1"),
      (#"{"challenge":"AA","rpId":1}"#, .encodingError, "rpId is the number 1"),
      (#"{"challenge":"AA","allowCredentials":{}}"#, .encodingError, "allowCredentials is an object"),
      (
        #"{"challenge":"AA","allowCredentials":[{"type":"public-key"}]}"#, .typeError,
        "allowCredentials[0].id is missing"
      ),
      (#"{"challenge":"AA","extensions":[]}"#, .encodingError, "extensions is an array"),
      (#"{"challenge":"AA","challenge":"AB"}"#, .encodingError, "challenge is there 2 times"),
      ("[", .encodingError, "not JSON"),
      (#"{"status":"failed","errorMessage":"no such user"}"#, .notAllowedError, "no such user"),
    ])
  func wrong(_ text: String, _ name: WebAuthnErrorName, _ reason: String) {
    let error = failure { () throws(WebAuthnError) in try self.options(text) }
    #expect(error?.name == name)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "no error")")
  }
}
