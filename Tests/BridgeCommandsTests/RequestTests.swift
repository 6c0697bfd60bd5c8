import JSONText
import Testing

@Suite("Requests")
struct RequestTests {
  @Test("the request comes from a file, from - and from stdin, which is the default")
  func sources() async throws {
    let folder = try Scratch()
    let request = try Requests.options()
    try folder.write("request.json", request)
    let common = ["register", "--origin", Requests.origin, "--key", "virtual"]
    let fromFile = try await bridge(Child.Setup(arguments: common + [folder["request.json"]], input: nil))
    let fromDash = try await bridge(Child.Setup(arguments: common + ["-"], input: Array(request.utf8)))
    let fromStdin = try await bridge(Child.Setup(arguments: common, input: Array(request.utf8)))
    for ending in [fromFile, fromDash, fromStdin] {
      #expect(ending.status == 0)
      #expect(try ending.response()["type"]?.stringValue == "public-key")
      #expect(ending.output.last == UInt8(ascii: "\n"))
      #expect(ending.text.split(separator: "\n").count == 1, "stdout has the JSON and nothing else")
    }
  }

  @Test(
    "the request may be bare or in a server's envelope",
    arguments: [
      "OPTIONS", #"{"publicKey":OPTIONS}"#, #"{"fido2":OPTIONS}"#, #"{"fido2":{"publicKey":OPTIONS}}"#,
      #"{"status":"ok","errorMessage":"","publicKey":OPTIONS}"#, #" {"other":1,"publicKey":OPTIONS}"# + "\n",
    ])
  func envelopes(form: String) async throws {
    let text = form.replacing("OPTIONS", with: try Requests.options())
    let ending = try await bridge("register", "--origin", Requests.origin, "--key", "virtual", input: text)
    #expect(ending.status == 0, "\(ending.error)")
  }

  @Test("the status that conformance servers put beside the options is no obstacle when it is ok")
  func statusBeside() async throws {
    let text = try Requests.options(#"{"status":"ok","errorMessage":""}"#)
    let ending = try await bridge("register", "--origin", Requests.origin, "--key", "virtual", input: text)
    #expect(ending.status == 0)
  }

  @Test("a server's failure is told in its own words, and no key is touched")
  func failedStatus() async throws {
    let folder = try Scratch()
    let text = #"{"status":"failed","errorMessage":"No such user\u001b[31m"}"#
    let ending = try await bridge(
      "register", "--origin", Requests.origin, "--key", "virtual:\(folder["key"])", input: text)
    #expect(
      ending.error == "ctap-bridge: NotAllowedError: The server sent no options: status \"failed\", errorMessage "
        + #""No such user\u{1b}[31m"."# + "\n")
    #expect(ending.status == 65 && folder.names.isEmpty)
  }

  /// Text, WebAuthn error name, reason.
  static let bad: [(String, String, String)] = [
    ("", "EncodingError", "The request is not JSON: line 1, column 1: the text ends where a value is expected."),
    (
      "{\n  \"rp\": nope}", "EncodingError",
      "The request is not JSON: line 2, column 10: found 'o' where 'null' is expected."
    ),
    ("[]", "EncodingError", "The request is an array; expected an object."),
    (#"{"rp":null}"#, "TypeError", "rp is null; expected an object."),
    (#"{"user":null}"#, "TypeError", "user is missing; expected an object."),
    (#"{"rp":{"id":"example.org"}}"#, "TypeError", "rp.name is missing; expected a string."),
    (#"{"rp":{"name":"x","id":7}}"#, "EncodingError", "rp.id is the number 7; expected a string."),
    (#"{"user":{"id":"AA","name":true,"displayName":""}}"#, "EncodingError", "user.name is true; expected a string."),
    (#"{"user":{"id":"","name":"","displayName":""}}"#, "TypeError", "user.id has 0 bytes; expected 1 to 64."),
    (
      #"{"user":{"id":""# + String(repeating: "A", count: 87) + #"","name":"","displayName":""}}"#, "TypeError",
      "user.id has 65 bytes; expected 1 to 64."
    ),
    (
      #"{"user":{"id":"A+/=","name":"","displayName":""}}"#, "EncodingError",
      #"user.id is not base64url: found the character "+" at position 1; expected A-Z, a-z, 0-9, - and _ without padding."#
    ),
    (
      #"{"challenge":"AAAAA"}"#, "EncodingError",
      "challenge is not base64url: found 5 characters, a length that no bytes encode to; expected A-Z, a-z, 0-9, - and _ "
        + "without padding."
    ),
    (#"{"challenge":[1]}"#, "EncodingError", "challenge is an array; expected a string."),
    (#"{"pubKeyCredParams":{}}"#, "EncodingError", "pubKeyCredParams is an object; expected an array."),
    (
      #"{"pubKeyCredParams":[{"type":"public-key","alg":"-7"}]}"#, "EncodingError",
      #"pubKeyCredParams[0].alg is the string "-7"; expected an integer."#
    ),
    (
      #"{"pubKeyCredParams":[{"type":"password","alg":-7}]}"#, "NotSupportedError",
      #"pubKeyCredParams has no entry of a type that is known; expected at least one of type "public-key"."#
    ),
    (
      #"{"excludeCredentials":[{"type":"public-key","id":"AA"},{"type":"public-key","id":"*"}]}"#, "EncodingError",
      #"excludeCredentials[1].id is not base64url: found the character "*" at position 0; expected A-Z, a-z, 0-9, - "#
        + "and _ without padding."
    ),
    (#"{"timeout":"1"}"#, "EncodingError", #"timeout is the string "1"; expected a number of milliseconds."#),
    (#"{"extensions":[]}"#, "EncodingError", "extensions is an array; expected an object."),
    (
      #"{"rp":{"name":"x","id":"example.com"}}"#, "SecurityError",
      #"rp.id is "example.com", which is neither the domain of https://example.org nor a parent of it."#
    ),
    (
      #"{"rp":{"name":"x","id":"org"}}"#, "SecurityError",
      #"rp.id is "org", a public suffix that many sites share."#
    ),
    (
      #"{"rp":{"name":"x\u202e","id":"a\u001b]0;b"}}"#, "SecurityError",
      #"rp.id is "a\u{1b}]0;b", which is not a domain name; expected one such as "example.org", without scheme, port or path."#
    ),
  ]

  @Test("bad input ends before a key is touched, with the member, what was found and what was expected", arguments: bad)
  func badInput(text: String, name: String, reason: String) async throws {
    let folder = try Scratch()
    let isChange = text.hasPrefix("{\"")
    let ending = try await bridge(
      "register", "--origin", Requests.origin, "--key", "virtual:\(folder["key"])", "--error-format", "json",
      input: isChange ? Requests.spoilt(text) : text)
    let members = try ending.errorObject()
    #expect(members.map(\.name) == ["name", "reason"])
    #expect(members.first?.value.stringValue == name)
    #expect(members.last?.value.stringValue == reason)
    #expect(ending.status == 65 && ending.output.isEmpty)
    #expect(!folder.names.contains("key"), "nothing was created on the key")
  }

  @Test("unknown members and unknown enumeration values are no errors")
  func unknown() async throws {
    let changes = """
      {"later":{},"attestation":"maybe","authenticatorSelection":{"userVerification":"perhaps","residentKey":"so",
      "authenticatorAttachment":"floating"},"hints":["pigeon"],"extensions":{"nobody.knows":1}}
      """
    let text = try Requests.options(changes)
    let ending = try await bridge("register", "--origin", Requests.origin, "--key", "virtual", input: text)
    #expect(ending.status == 0, "\(ending.error)")
  }

  @Test("a file that cannot be read is named", arguments: ["/nonexistent/request.json", "/tmp"])
  func unreadable(path: String) async throws {
    let ending = try await bridge("register", path, "--origin", Requests.origin, "--key", "virtual")
    let why = path == "/tmp" ? "Is a directory" : "No such file or directory"
    #expect(ending.error == "ctap-bridge: NotReadableError: The request cannot be read from \(path): \(why).\n")
    #expect(ending.status == 66)
  }

  @Test("a request of more than a mebibyte is refused")
  func huge() async throws {
    let text = "{\"a\":\"" + String(repeating: "a", count: 1 << 20) + "\"}"
    let ending = try await bridge("register", "--origin", Requests.origin, "--key", "virtual", input: text)
    #expect(
      ending.error
        == "ctap-bridge: EncodingError: The request in stdin is larger than 1048576 bytes, which is the limit.\n")
    #expect(ending.status == 65)
  }
}
