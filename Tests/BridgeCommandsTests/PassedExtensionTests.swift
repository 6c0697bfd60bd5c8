import JSONText
import Testing

@testable import BridgeCommands

@Suite("--pass-extension and the list of enterprise sites, by the command")
struct PassedExtensionTests {
  private func register(_ extensions: String, _ options: String...) async throws -> InProcess.Ending {
    let folder = try Scratch()
    let request = try folder.write("request", Requests.extensions(extensions))
    return await InProcess().run(
      ["register", request, "--origin", Requests.origin, "--key", "virtual", "--no-wait"] + options)
  }

  @Test("passes what is named on, and nothing else", arguments: ["example", "unsigned:example"])
  func passes(_ echo: String) async throws {
    let json = #"{"example":{"a":[1,{"$base64url":"AQ"}]},"other":1}"#
    let passed = try await register(json, "--echo-extension", echo, "--pass-extension", "example")
    #expect(passed.output.contains(#""clientExtensionResults":{"example":{"a":[1,"AQ"]}}"#), "\(passed)")
    let plain = try await register(json, "--echo-extension", echo)
    #expect(plain.output.contains(#""clientExtensionResults":{}"#), "\(plain)")
  }

  @Test(
    "a name that cannot be, or that the bridge knows itself, is refused",
    arguments: [
      ("prf", "knows the extension prf itself"), ("getCredBlob", "knows"),
      ("a b", "cannot be an extension's identifier"), ("thalesgroup_ext_v1", "knows"),
    ])
  func refused(_ name: String, _ reason: String) async throws {
    let ending = try await register("{}", "--pass-extension", name)
    #expect(ending.status == .usage && ending.error.contains(reason), "\(ending.error)")
  }

  @Test("the administrator's list decides who gets an enterprise attestation, and which kind")
  func enterprise() async throws {
    let folder = try Scratch()
    let request = try folder.write("request", Requests.options(#"{"attestation":"enterprise"}"#))
    func ending(_ list: String?, _ site: String) async throws -> InProcess.Ending {
      var process = InProcess()
      process.enterpriseSites = try list.map { try folder.write("sites", $0) } ?? "/nonexistent/sites"
      return await process.run(
        "register", request, "--origin", Requests.origin, "--key", "virtual", "--no-wait", "--enterprise-rp", site)
    }
    for (list, site, absence) in [
      ("# ours\n\nexample.org\n", "elsewhere.org", nil), ("example.org platform-managed", "elsewhere.org", nil),
      ("example.org\tvendor-facilitated # by contract", "example.org", nil),
      ("example.org vendor-facilitated", "elsewhere.org", "the key gives none to example.org"),
      ("example.com", "example.org", "it is not allowed for example.org here"),
      (nil, "example.org", "it is not allowed for example.org here"),
    ] as [(String?, String, String?)] {
      let ending = try await ending(list, site)
      #expect(ending.status == .success, "\(ending.error)")
      #expect(ending.error.contains("no enterprise attestation") == (absence != nil), "\(ending.error)")
      if let absence { #expect(ending.error.contains(absence)) }
    }
    let wrong = try await ending("example.org\nexample.com often\n", "example.org")
    #expect(wrong.status == .configuration && wrong.error.contains("line 2 of"), "\(wrong.error)")
  }
}
