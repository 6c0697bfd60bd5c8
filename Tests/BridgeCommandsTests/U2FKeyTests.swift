import JSONText
import Testing

/// The commands on a key that speaks U2F alone.
@Suite("A key that speaks U2F alone")
struct U2FKeyTests {
  @Test(
    "has nothing to look after, and the command says so before anybody is asked for anything",
    arguments: [
      ["pin", "status"], ["pin", "set"], ["pin", "change"], ["credentials", "list"], ["fingerprints", "list"],
      ["config", "always-uv", "on"], ["reset", "--yes"],
    ])
  func management(_ command: [String]) async throws {
    let ending = try await bridge(
      Child.Setup(arguments: command + ["--key", "virtual", "--protocol", "u2f"]))
    #expect(ending.status == 69, "\(ending.error)")
    #expect(
      ending.error.contains("it speaks U2F alone, which has no PIN, no list of credentials and no settings"),
      "\(ending.error)")
    #expect(ending.text.isEmpty)
  }

  @Test("shows itself and answers a ping all the same", arguments: [["identify"], ["ping"]])
  func below(_ command: [String]) async throws {
    let ending = try await bridge(Child.Setup(arguments: command + ["--key", "virtual", "--protocol", "u2f"]))
    #expect(ending.status == 0, "\(ending.error)")
  }

  @Test("registers, unless that is ruled out", arguments: [("auto", 0), ("force", 0), ("never", 69)])
  func register(_ use: String, _ status: Int32) async throws {
    let folder = try Scratch()
    let request = try folder.write(
      "request",
      #"""
      {"rp":{"id":"example.org","name":"E"},"user":{"id":"AQ","name":"b","displayName":""},"challenge":"AA",
      "pubKeyCredParams":[{"type":"public-key","alg":-7}],"attestation":"direct"}
      """#)
    let ending = try await bridge(
      Child.Setup(arguments: [
        "register", request, "--origin", "https://example.org", "--key", "virtual", "--protocol", "u2f", "--u2f", use,
        "--no-wait",
      ]))
    #expect(ending.status == status, "\(ending.error)")
    guard status == 0 else { return #expect(ending.error.contains("it speaks U2F alone, which is not to be used")) }
    #expect(try JSONDocument(parsing: ending.output).root["response"]?["publicKeyAlgorithm"]?.integerValue == -7)
  }
}
