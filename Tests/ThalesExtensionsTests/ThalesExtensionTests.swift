import CBOR
import CTAPHID
import CTAPMessages
import JSONText
import Synchronization
import Testing
import ThalesExtensions

@testable import WebAuthnClient

/// The extensions at work for a request's `extensions`, and the warnings.
private func works(
  _ json: String, strict: Bool = false, policy: AuthenticatorPolicy = AuthenticatorPolicy()
) throws(WebAuthnError) -> (works: [any RegistrationExtension], warnings: [String]) {
  let text = #"""
    {"rp":{"name":""},"user":{"id":"AA","name":"","displayName":""},"challenge":"AA","pubKeyCredParams":[],"extensions":\#(json)}
    """#
  var warnings: [String] = []
  let request = RegistrationRequest(
    options: try CreationOptions(parsing: Array(text.utf8)), relyingPartyID: "example.org",
    origin: try Origin("https://example.org"), policy: policy)
  let works = try ExtensionDoor(ThalesClientExtensions.all, strict: strict).open(request) { warnings.append($0) }
  return (works, warnings)
}

private func authenticator(_ backup: BackupSupport = .unsupported, product: String? = "Desk Key") -> AuthenticatorInfo {
  AuthenticatorInfo(
    key: KeyDescription(id: "test", vendorID: 0x08e6, productID: 1, product: product),
    abilities: GetInfoResponse(versions: ["FIDO_2_1"], aaguid: .zero), backupSupport: backup)
}

private func credential(_ flags: AuthenticatorData.Flags = []) throws -> NewCredential {
  let key = COSEKey(.okp(curve: 6, x: [UInt8](repeating: 0, count: 32)), alg: -8)
  return NewCredential(
    authenticator: authenticator(),
    authenticatorData: try AuthenticatorData(
      rpIDHash: [UInt8](repeating: 0, count: 32), flags: flags.union(.userPresent), signCount: 0,
      attestedCredential: try AttestedCredential(aaguid: .zero, credentialID: [1], publicKey: key)),
    credentialID: [1], residentKey: false)
}

private func text(_ outputs: [ExtensionOutput]) -> String {
  String(decoding: JSONOutput.object(outputs.map { ($0.name, $0.value) }).serialized(pretty: false), as: UTF8.self)
}

/// Somebody who answers the question for a name, or cancels.
private final class Namer: UserInteraction {
  enum Answer {
    case name(String)
    case decline
    case cancel
  }

  let answer: Answer
  private let heard = Mutex<[String]>([])

  init(_ answer: Answer) {
    self.answer = answer
  }

  var warnings: [String] { heard.withLock { $0 } }

  func notify(_ event: CeremonyEvent) {
    if case .warning(let text) = event { heard.withLock { $0.append(text) } }
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    switch answer {
    case .name(let name): return AuthenticatorDescriptor(friendlyName: name)
    case .decline: return nil
    case .cancel: throw UserCancelled()
    }
  }
}

struct FriendlyNameTests {
  private func output(_ namer: Namer, product: String? = "Desk Key") async throws -> String {
    var work = try #require(works(#"{"thalesgroup_ext_v1":true}"#).works.first)
    try await work.prepare(for: authenticator(product: product), asking: namer)
    #expect(work.authenticatorInputs(for: authenticator(), residentKey: false).isEmpty)
    return text(try work.outputs(for: try credential()))
  }

  private func named(_ name: String) -> String {
    #"{"thalesgroup_ext_v1":{"authenticatorDescription":{"friendlyName":""# + name + #""}}}"#
  }

  @Test("a name is trimmed and otherwise kept as typed, without normalisation")
  func name() async throws {
    #expect(try await output(Namer(.name("CUSTOM_NAME"))) == named("CUSTOM_NAME"))
    #expect(try await output(Namer(.name(" \t Büro\u{a0}1 \n"))) == named("Büro\u{a0}1"))
    let decomposed = try await output(Namer(.name("Bu\u{308}ro")))
    #expect(Array(decomposed.utf8) == Array(named("Bu\u{308}ro").utf8))
  }

  @Test("a blank name becomes the suggested one", arguments: ["", "   ", "\t\n"])
  func blank(_ name: String) async throws {
    #expect(try await output(Namer(.name(name))) == named("Desk Key"))
    #expect(try await output(Namer(.name(name)), product: nil) == named("Security key"))
  }

  @Test("declining to name leaves the output out")
  func declined() async throws {
    #expect(try await output(Namer(.decline)) == "{}")
  }

  @Test("cancelling ends the registration before anything is created")
  func cancelled() async throws {
    var work = try #require(works(#"{"thalesgroup_ext_v1":true}"#).works.first)
    do {
      try await work.prepare(for: authenticator(), asking: Namer(.cancel))
      Issue.record("it went on")
    } catch {
      #expect(error.name == .notAllowedError)
      #expect(error.kind == .cancelled)
    }
  }

  @Test("a name with a control character is refused", arguments: ["a\u{7}b", "a\u{202e}b"])
  func unfit(_ name: String) async throws {
    var work = try #require(works(#"{"thalesgroup_ext_v1":true}"#).works.first)
    do {
      try await work.prepare(for: authenticator(), asking: Namer(.name(name)))
      Issue.record("it went on")
    } catch {
      #expect(error.kind == .extensionFailed)
      #expect(error.reason.contains("U+"))
    }
  }

  @Test("up to 128 UTF-16 units are kept, and more are cut at a whole grapheme with a warning")
  func long() async throws {
    let family = "👨‍👩‍👧"  // 8 UTF-16 units
    let cases: [(String, String)] = [
      (String(repeating: "a", count: 128), String(repeating: "a", count: 128)),
      (String(repeating: "a", count: 129), String(repeating: "a", count: 128)),
      (String(repeating: "🔑", count: 64), String(repeating: "🔑", count: 64)),
      ("a" + String(repeating: "🔑", count: 64), "a" + String(repeating: "🔑", count: 63)),
      (String(repeating: "a", count: 127) + "e\u{301}", String(repeating: "a", count: 127)),
      (String(repeating: family, count: 17), String(repeating: family, count: 16)),
      (String(repeating: "a", count: 125) + family, String(repeating: "a", count: 125)),
      (String(repeating: "a", count: 127) + " b", String(repeating: "a", count: 127)),
      ("a" + String(repeating: "\u{301}", count: 200), "a" + String(repeating: "\u{301}", count: 127)),
    ]
    for (typed, expected) in cases {
      let namer = Namer(.name(typed))
      #expect(try await output(namer) == named(expected))
      #expect(namer.warnings.count == (typed == expected ? 0 : 1))
      #expect(expected.utf16.count <= FriendlyNameExtension.maximumLength)
    }
  }

  @Test("false asks for nothing, and an absent extension neither")
  func notRequested() throws {
    for json in [#"{"thalesgroup_ext_v1":false}"#, "{}"] {
      let (works, warnings) = try works(json)
      #expect(works.isEmpty && warnings.isEmpty)
    }
  }

  @Test("anything but true and false is ignored with a warning", arguments: ["1", "0", #""true""#, "null", "{}", "[]"])
  func malformed(_ value: String) throws {
    let json = #"{"thalesgroup_ext_v1":\#(value)}"#
    let (works, warnings) = try works(json)
    #expect(works.isEmpty)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("thalesgroup_ext_v1") == true)
    #expect(throws: WebAuthnError.self) { try ThalesExtensionsTests.works(json, strict: true) }
  }
}

struct ClientTypeTests {
  private func work(_ value: String, syncable: Set<AAGUID> = []) throws -> any RegistrationExtension {
    try #require(
      works(#"{"thalesgroup_client_ext_v1":\#(value)}"#, policy: AuthenticatorPolicy(syncable: syncable)).works.first)
  }

  private func output(_ work: any RegistrationExtension, _ flags: AuthenticatorData.Flags) throws -> String {
    text(try work.outputs(for: try credential(flags)))
  }

  @Test("the output is the type that was made, by the BE flag, and never -1")
  func output() throws {
    let all = try work(#"{"clientType":-1}"#)
    #expect(try output(all, []) == #"{"thalesgroup_client_ext_v1":{"clientType":2}}"#)
    #expect(try output(all, [.backupEligible]) == #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#)
    #expect(try output(all, [.backupEligible, .backedUp]) == #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#)
    #expect(try output(work(#"{"clientType":2}"#), []) == #"{"thalesgroup_client_ext_v1":{"clientType":2}}"#)
    #expect(
      try output(work(#"{"clientType":1}"#), [.backupEligible]) == #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#)
  }

  @Test("a credential of the other type is not returned")
  func mismatch() throws {
    #expect(throws: ExtensionObjection.self) { try output(work(#"{"clientType":1}"#), []) }
    #expect(throws: ExtensionObjection.self) { try output(work(#"{"clientType":2}"#), [.backupEligible]) }
  }

  @Test("nothing goes to the key")
  func clientOnly() throws {
    #expect(try work(#"{"clientType":2}"#).authenticatorInputs(for: authenticator(), residentKey: false).isEmpty)
  }

  @Test("the type restricts which keys are offered")
  func offering() throws {
    let declared: Set<AAGUID> = [.zero]
    let (all, syncable, bound) = (
      try work(#"{"clientType":-1}"#), try work(#"{"clientType":1}"#, syncable: declared),
      try work(#"{"clientType":2}"#)
    )
    for support in [BackupSupport.unsupported, .explicit, .implicit] {
      #expect(all.objection(to: authenticator(support)) == nil)
      #expect((syncable.objection(to: authenticator(support)) == nil) == (support != .unsupported))
      #expect((bound.objection(to: authenticator(support)) == nil) == (support != .implicit))
    }
    #expect(all.objectionToEveryKey() == nil)
    #expect(bound.objectionToEveryKey() == nil)
    #expect(syncable.objectionToEveryKey() == nil)
    #expect(try work(#"{"clientType":1}"#).objectionToEveryKey()?.contains("client type 1") == true)
  }

  @Test(
    "a number is a number however it is written, and extra members are passed over",
    arguments: [
      (#"{"clientType":1.0}"#, [AuthenticatorData.Flags.backupEligible]), (#"{"clientType":2e0}"#, []),
      (#"{"clientType":-1.0e0}"#, []), (#"{"clientType":20e-1,"other":[1]}"#, []),
    ] as [(String, [AuthenticatorData.Flags])])
  func numbers(_ value: String, _ flags: [AuthenticatorData.Flags]) throws {
    let (works, warnings) = try works(#"{"thalesgroup_client_ext_v1":\#(value)}"#)
    #expect(works.count == 1 && warnings.isEmpty)
    #expect(try output(try #require(works.first), AuthenticatorData.Flags(flags)).contains("clientType"))
  }

  @Test(
    "what cannot be read is ignored with a warning, and refused in strict mode",
    arguments: [
      "true", "false", "1", #""2""#, "[]", "null", "{}", #"{"clienttype":1}"#, #"{"clientType":"2"}"#,
      #"{"clientType":true}"#, #"{"clientType":null}"#, #"{"clientType":[2]}"#, #"{"clientType":{}}"#,
      #"{"clientType":1.5}"#, #"{"clientType":0}"#, #"{"clientType":3}"#, #"{"clientType":-2}"#,
      #"{"clientType":2147483648}"#, #"{"clientType":1e300}"#, #"{"clientType":1e400}"#,
      #"{"clientType":1,"clientType":2}"#,
    ])
  func malformed(_ value: String) throws {
    let json = #"{"thalesgroup_client_ext_v1":\#(value)}"#
    let (works, warnings) = try works(json)
    #expect(works.isEmpty)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("extensions.thalesgroup_client_ext_v1") == true, "\(warnings)")
    do throws(WebAuthnError) {
      _ = try ThalesExtensionsTests.works(json, strict: true)
      Issue.record("strict mode let it pass")
    } catch {
      #expect(error.name == .encodingError)
    }
  }

  @Test("absent: everything is offered and nothing is answered")
  func absent() throws {
    #expect(try works("{}").works.isEmpty)
  }
}

struct ChallengeTokenTests {
  @Test(
    "any value comes back byte for byte",
    arguments: [
      #"{"a":1.0,"a":2,"b":1e400,"c":"\ud800","n":10000000000000000000000}"#,
      "{ \"a\" :\t1.0,\r\n\"a\": 2 , \"b\":1e400, \"c\":\"\\ud800\",\"n\": 10000000000000000000000 }",
      "null", "false", "true", "0", "-0", "1.0", "1E+2", #""""#, #""\u0041\/""#, "[]", "[ 1 ,\n2 ]", "{}",
      #"{"é":"ü","\u00e9":1}"#,
    ])
  func echoed(_ token: String) throws {
    let (works, warnings) = try works("{\"thalesgroup_chl_tkn_ext_v1\":  \(token)  }")
    #expect(warnings.isEmpty)
    let work = try #require(works.first)
    #expect(work.authenticatorInputs(for: authenticator(), residentKey: false).isEmpty)
    let outputs = try work.outputs(for: try credential())
    #expect(Array(text(outputs).utf8) == Array("{\"thalesgroup_chl_tkn_ext_v1\":\(token)}".utf8))
  }

  @Test("absent: no output")
  func absent() throws {
    #expect(try works("{}").works.isEmpty)
  }
}

struct AllThreeTests {
  @Test("the outputs have a fixed order, whatever the request's")
  func order() async throws {
    var works = try works(
      #"{"thalesgroup_chl_tkn_ext_v1":7,"thalesgroup_client_ext_v1":{"clientType":-1},"thalesgroup_ext_v1":true}"#
    ).works
    var outputs: [ExtensionOutput] = []
    for index in works.indices {
      try await works[index].prepare(for: authenticator(), asking: NoInteraction())
      outputs += try works[index].outputs(for: try credential())
    }
    #expect(
      text(outputs)
        == #"{"thalesgroup_ext_v1":{"authenticatorDescription":{"friendlyName":"Desk Key"}},"thalesgroup_client_ext_v1":{"clientType":2},"thalesgroup_chl_tkn_ext_v1":7}"#
    )
  }

  @Test("identifiers are told apart by case, and each is printable ASCII of at most 32 octets")
  func identifiers() throws {
    #expect(try works(#"{"THALESGROUP_EXT_V1":true}"#).works.isEmpty)
    for identifier in ThalesClientExtensions.all.map(\.identifier) {
      #expect(identifier.utf8.count <= 32)
      #expect(identifier.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    }
  }

  @Test("the transaction extension, which is for authentication, is passed over in silence")
  func transaction() throws {
    let (works, warnings) = try works(#"{"thalesgroup_txn_ext_v1":{"txnDigest":"x"}}"#)
    #expect(works.isEmpty && warnings.isEmpty)
  }
}
