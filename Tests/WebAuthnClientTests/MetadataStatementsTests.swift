import CTAPMessages
import Testing

@testable import WebAuthnClient

struct MetadataStatementsTests {
  private let one = AAGUID("00000000-0000-0000-0000-000000000001") ?? .zero
  private let two = AAGUID("00000000-0000-0000-0000-000000000002") ?? .zero

  private func statements(_ text: String) throws(WebAuthnError) -> MetadataStatements {
    try MetadataStatements(parsing: Array(text.utf8))
  }

  @Test("one statement is read")
  func single() throws {
    let statements = try statements(
      #"{"aaguid":"00000000-0000-0000-0000-000000000001","description":"Key One","multiDeviceCredentialSupport":"explicit"}"#
    )
    #expect(statements[one] == MetadataStatements.Statement(name: "Key One", backupSupport: .explicit))
    #expect(statements[two] == nil)
  }

  @Test(
    "a list and a BLOB's payload are read, entries without a model or a statement left out",
    arguments: [
      #"{"no":1,"nextUpdate":"2026-01-01","entries":["#, "[",
    ])
  func several(_ opening: String) throws {
    let entries = #"""
      {"aaguid":"00000000-0000-0000-0000-000000000001","metadataStatement":{"description":"One","multiDeviceCredentialSupport":"implicit"}},
      {"aaguid":"00000000000000000000000000000002","metadataStatement":{"description":"Two"}},
      {"aaid":"1234#5678","metadataStatement":{"description":"UAF"}},{"aaguid":"nonsense","metadataStatement":{}},
      {"aaguid":"00000000-0000-0000-0000-000000000003","metadataStatement":{"multiDeviceCredentialSupport":"new"}}
      """#
    let statements = try statements(opening + entries + (opening == "[" ? "]" : "]}"))
    #expect(statements.statements.count == 3)
    #expect(statements[one]?.backupSupport == .implicit)
    #expect(statements[two] == MetadataStatements.Statement(name: "Two", backupSupport: .unsupported))
    #expect(statements[AAGUID("00000000-0000-0000-0000-000000000003") ?? .zero]?.name == nil)
  }

  @Test("a BLOB's entry alone is read")
  func entry() throws {
    let statements = try statements(
      #"{"aaguid":"00000000-0000-0000-0000-000000000001","metadataStatement":{"description":"One"}}"#)
    #expect(statements[one]?.name == "One")
  }

  @Test("what is no metadata is refused", arguments: ["{", "{}", "7", #""text""#])
  func refused(_ text: String) {
    let error = failure { () throws(WebAuthnError) in try statements(text) }
    #expect(error?.name == .encodingError)
    #expect(error?.reason.contains("metadata") == true)
  }

  @Test("a declared model is syncable, and metadata that says more wins")
  func policy() throws {
    let metadata = try statements(
      #"[{"aaguid":"00000000-0000-0000-0000-000000000001","multiDeviceCredentialSupport":"implicit"}]"#)
    let policy = AuthenticatorPolicy(syncable: [one, two], metadata: metadata)
    #expect(policy.backupSupport(of: one) == .implicit)
    #expect(policy.backupSupport(of: two) == .explicit)
    #expect(policy.backupSupport(of: .zero) == .unsupported)
    #expect(policy.knowsSyncableModel)
    #expect(AuthenticatorPolicy(metadata: metadata).knowsSyncableModel)
    #expect(!AuthenticatorPolicy().knowsSyncableModel)
  }
}
