import BridgeTestSupport
import CBOR
import CTAPMessages
import Testing
import VirtualKey
import WebAuthnClient

@Suite("enterprise attestation, from a request to its response")
struct EnterpriseAttestationTests {
  struct Row: Sendable, CustomTestStringConvertible {
    /// What policy has for the site.
    let policy: EnterpriseAttestation?
    /// Whether the key has it switched on, and the vendor's list has the site.
    let isOn: Bool
    let isListed: Bool
    /// What goes to the key.
    let sent: Int?
    /// Why there is none; nil where there is.
    let absence: String?

    var testDescription: String { "policy \(policy?.rawValue ?? 0), on \(isOn), listed \(isListed)" }
  }

  private static let rows: [Row] = [
    Row(policy: nil, isOn: true, isListed: true, sent: nil, absence: "it is not allowed for example.org here"),
    Row(
      policy: .platformManaged, isOn: false, isListed: true, sent: nil,
      absence: "the key has none, or has it switched off"),
    Row(policy: .platformManaged, isOn: true, isListed: false, sent: 2, absence: nil),
    Row(policy: .vendorFacilitated, isOn: true, isListed: true, sent: 1, absence: nil),
    Row(policy: .vendorFacilitated, isOn: true, isListed: false, sent: 1, absence: "the key gives none to example.org"),
  ]

  @Test("policy, key and vendor decide; where there is none, it is said why", arguments: rows)
  func table(_ row: Row) async throws {
    var configuration = VirtualKeyConfiguration.with { $0.options?["ep"] = row.isOn }
    configuration.attestation = .selfSigned
    configuration.enterpriseRPIDs = row.isListed ? ["example.org"] : []
    var (desk, _, wire) = try Desk.watched(configuration)
    desk.policy.enterpriseAttestation = row.policy.map { ["example.org": $0] } ?? ["example.com": .platformManaged]
    let response = try await desk.register(request(attestation: "enterprise"))
    let sent = try #require(wire.messages().last { $0.name == "makeCredential" }?.parameters)
    #expect(sent[0x0a]?.intValue == row.sent)
    #expect((response.attestation.attStmt["x5c"] != nil) == (row.absence == nil))
    let warning = row.absence.map { "warning: The attestation is no enterprise attestation: \($0)." }
    #expect(desk.person.heard.filter { $0.hasPrefix("warning") } == (warning.map { [$0] } ?? []))
  }

  @Test(
    "a request for another conveyance asks for none, whatever policy says", arguments: ["none", "indirect", "direct"])
  func others(_ conveyance: String) async throws {
    var configuration = VirtualKeyConfiguration.with { $0.options?["ep"] = true }
    configuration.enterpriseRPIDs = ["example.org"]
    var (desk, _, wire) = try Desk.watched(configuration)
    desk.policy.enterpriseAttestation = ["example.org": .platformManaged]
    _ = try await desk.register(request(attestation: conveyance))
    #expect(wire.messages().last { $0.name == "makeCredential" }?.parameters?[0x0a] == nil)
    #expect(!desk.person.heard.contains { $0.hasPrefix("warning") })
  }

  @Test("formats that are preferred go to keys that name theirs, in order, and \"none\" where none is wanted")
  func formats() async throws {
    for (formats, conveyance, sent) in [
      (["packed", "none"], "direct", ["tpm", "packed"]), (nil, "direct", nil), (["packed", "none"], "none", ["none"]),
    ] as [([String]?, String, [CBORValue]?)] {
      let (desk, _, wire) = try Desk.watched(.with { $0.attestationFormats = formats })
      let response = try await desk.register(
        request(attestation: conveyance, more: #""attestationFormats":["tpm","packed"]"#))
      #expect(wire.messages().last { $0.name == "makeCredential" }?.parameters?[0x0b]?.arrayValue == sent)
      #expect(response.attestation.fmt == (conveyance == "none" ? "none" : "packed"))
    }
  }
}
