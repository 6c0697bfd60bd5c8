import CTAPMessages
import JSONText
import Testing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("The credentials on a key")
struct CredentialCommandTests {
  /// A key with three credentials of two sites.
  private static func desk(
    _ change: (inout VirtualKeyConfiguration) -> Void = { _ in }
  ) async throws -> (desk: KeyDesk, ids: [String]) {
    let desk = try KeyDesk(change)
    var ids: [String] = []
    for (site, user) in [("example.org", "alice"), ("example.org", "bob"), ("other.example", "carol")] {
      ids.append(try await desk.register(site: site, user: user))
    }
    desk.port.clearLog()
    return (desk, ids)
  }

  private static func preview(_ configuration: inout VirtualKeyConfiguration) {
    configuration.profile.info.versions = ["FIDO_2_0", "FIDO_2_1_PRE"]
    configuration.profile.info.options = ["rk": true, "up": true, "clientPin": false, "credentialMgmtPreview": true]
    configuration.profile.info.pinUvAuthProtocols = [1]
  }

  @Test("the list in words has a line for each site and below it one for each credential, and nothing else on stdout")
  func words() async throws {
    let (desk, ids) = try await Self.desk()
    let ending = try await desk.done("credentials", "list")
    #expect(
      ending.output == """
        example.org (The example.org site)
          \(ids[0])  alice (Display alice)
          \(ids[1])  bob (Display bob)
        other.example (The other.example site)
          \(ids[2])  carol (Display carol)

        """)
    #expect(ending.error == "Using CTAPBridge Virtual Key (virtual).\n")
  }

  @Test("the list in JSON is an array of objects with the same members, whatever the key tells")
  func json() async throws {
    let (desk, ids) = try await Self.desk()
    let list = try #require(try await desk.json("credentials", "list").elements)
    #expect(list.map { $0["id"]?.stringValue } == ids)
    for credential in list {
      #expect(
        credential.members?.map(\.name) == [
          "id", "rpId", "rpName", "rpIdHash", "rpIdIsWhole", "userHandle", "userName", "userDisplayName", "algorithm",
          "credProtect", "largeBlob", "thirdPartyPayment",
        ])
    }
    let bob = try #require(list.dropFirst().first)
    #expect(bob["rpId"]?.stringValue == "example.org" && bob["rpIdIsWhole"]?.boolValue == true)
    #expect(bob["userHandle"]?.stringValue == "Ym9i" && bob["userName"]?.stringValue == "bob")
    #expect(bob["algorithm"]?.integerValue == -7 && bob["credProtect"]?.integerValue == 1)
    #expect(bob["largeBlob"]?.boolValue == false && bob["thirdPartyPayment"]?.boolValue == false)
  }

  @Test("a key that holds none has an empty list, which is no error")
  func empty() async throws {
    let desk = try KeyDesk()
    let ending = try await desk.done("credentials", "list")
    #expect(ending.output.isEmpty && ending.error.hasSuffix("The key has no discoverable credential.\n"))
    #expect(try await desk.json("credentials", "list").elements?.isEmpty == true)
    let filtered = try await desk.done("credentials", "list", "--rp-id", "absent.example")
    #expect(filtered.error.hasSuffix("The key has no discoverable credential for absent.example.\n"))
  }

  @Test("--rp-id lists one site alone", arguments: [true, false])
  func site(readsOnly: Bool) async throws {
    let (desk, ids) = try await Self.desk { $0.profile.info.options?[.perCredMgmtRO] = readsOnly }
    let list = try await desk.json("credentials", "list", "--rp-id", "other.example").elements
    #expect(list?.map { $0["id"]?.stringValue } == [ids[2]])
    #expect(desk.requests(.credentialManagement) == 1)
  }

  @Test("show tells all of one credential, found by its ID or the beginning of it")
  func show() async throws {
    let desk = try KeyDesk()
    let id = try await desk.register(
      user: "alice", extensions: #"{"credentialProtectionPolicy":"userVerificationRequired"}"#)
    let whole = try await desk.json("credentials", "show", id)
    #expect(whole["id"]?.stringValue == id && whole["credProtect"]?.integerValue == 3)
    let text = try await desk.done("credentials", "show", String(id.prefix(8))).output
    for line in [
      "ID                  \(id)", "Site                example.org (The example.org site)",
      "Name                alice", "Display name        Display alice", "User handle         YWxpY2U",
      "Algorithm           ES256 (-7)", "Protection          3: usable with verification alone",
    ] {
      #expect(text.contains(line + "\n"), "\(line) in\n\(text)")
    }
  }

  @Test("an ID that no credential has, or that several begin with, is refused, and nothing is changed")
  func ambiguous() async throws {
    let desk = try KeyDesk(state: .holding(sites: 1, each: 2))
    for command in [["show"], ["rename", "--name", "x"], ["delete", "--yes"]] {
      let ending = { await desk.run(["credentials"] + command + ["--pin-file", desk.scratch["pin"], "--", $0]) }
      let several = await ending("Bwc")
      #expect(several.status == .badRequest, "\(command)")
      #expect(several.error.contains(#"2 credentials have an ID that begins with "Bwc"; give more of it."#))
      for text in ["absent", ""] {
        let none = await ending(text)
        #expect(none.status == .unavailable)
        #expect(none.error.contains("The key has no credential with the ID \"\(text)\""), "\(none.error)")
      }
    }
    #expect(try desk.state.credentials.count == 2)
    #expect(try desk.state.credentials.allSatisfy { $0.userName != "x" })
  }

  @Test("rename replaces the names that are given and leaves the others")
  func rename() async throws {
    let (desk, ids) = try await Self.desk()
    let one = try await desk.json("credentials", "rename", ids[0], "--name", "alice@example.org")
    #expect(one["userName"]?.stringValue == "alice@example.org")
    #expect(one["userDisplayName"]?.stringValue == "Display alice")
    let words = try await desk.done("credentials", "rename", ids[0], "--display-name", "Ålice")
    #expect(words.output.isEmpty)
    #expect(
      words.error.hasSuffix(
        "alice@example.org (Display alice) at example.org (The example.org site) is alice@example.org (Ålice) now.\n"))
    let listed = try await desk.json("credentials", "show", ids[0])
    #expect(listed["userName"]?.stringValue == "alice@example.org" && listed["userDisplayName"]?.stringValue == "Ålice")
    #expect(try await desk.json("credentials", "show", ids[1])["userName"]?.stringValue == "bob")
  }

  @Test("names that mislead, and none at all, are refused before a key is asked")
  func badNames() async throws {
    let (desk, ids) = try await Self.desk()
    for words in [[], ["--name", "a\u{202e}b"], ["--display-name", "line\nfeed"]] {
      #expect(await desk.run(["credentials", "rename", ids[0]] + words).status == .usage)
    }
    #expect(desk.port.log.isEmpty)
  }

  @Test("delete takes one credential away where --yes says so, and says which")
  func delete() async throws {
    let (desk, ids) = try await Self.desk()
    let json = try await desk.json("credentials", "delete", ids[1], "--yes")
    #expect(json.members?.map(\.name) == ["deleted"] && json["deleted"]?.stringValue == ids[1])
    #expect(try await desk.json("credentials", "list").elements?.count == 2)
    let ending = try await desk.done("credentials", "delete", ids[2], "--yes")
    #expect(ending.error.contains("The credential \(ids[2]) of carol (Display carol) at other.example"))
    #expect(
      ending.error.hasSuffix(
        "The credential of carol (Display carol) at other.example (The other.example site) was deleted.\n"))
    #expect(try desk.state.credentials.map(\.userName) == ["alice"])
  }

  @Test("an old key is looked after by the preview command; it can't rename, which is said")
  func preview() async throws {
    let (desk, ids) = try await Self.desk(Self.preview)
    #expect(try await desk.json("credentials", "list").elements?.map { $0["id"]?.stringValue } == ids)
    try await desk.done("credentials", "delete", ids[0], "--yes")
    #expect(try await desk.json("credentials", "list").elements?.count == 2)
    #expect(desk.requests(.credentialManagement) == 0 && desk.requests(.credentialManagementPreview) > 0)
    let rename = await desk.run(
      "credentials", "rename", ids[1], "--name", "robert", "--pin-file", desk.scratch["pin"])
    #expect(rename.status == .unavailable)
    #expect(rename.error.contains("does not offer"), "\(rename.error)")
    #expect(try desk.state.credentials.map(\.userName) == ["bob", "carol"])
  }

  @Test("a key without credential management says so before a PIN is asked for")
  func notOffered() async throws {
    let desk = try KeyDesk { $0.profile.info.options?[.credMgmt] = nil }
    for words in [["list"], ["show", "x"], ["rename", "x", "--name", "y"], ["delete", "x", "--yes"]] {
      let ending = await desk.run(["credentials"] + words)
      #expect(ending.status == .unavailable)
      #expect(ending.error.contains("does not offer credential management."), "\(ending.error)")
    }
    #expect(desk.requests(.clientPIN) == 0)
  }

  // MARK: Tokens

  @Test("a token has no more permission than the command needs, and is for the site that is named")
  func scopes() async throws {
    let (desk, ids) = try await Self.desk { $0.profile.info.options?[.perCredMgmtRO] = nil }
    let manage = PINUVAuthPermissions.credentialManagement
    try await desk.done("credentials", "list")
    try await desk.done("credentials", "list", "--rp-id", "example.org")
    try await desk.done("credentials", "show", ids[0], "--rp-id", "example.org")
    try await desk.done("credentials", "rename", ids[0], "--name", "a", "--rp-id", "example.org")
    try await desk.done("credentials", "delete", ids[0], "--yes", "--rp-id", "example.org")
    try await desk.done("credentials", "delete", ids[2], "--yes")
    #expect(
      desk.tokens == [KeyDesk.Token(permissions: manage)]
        + Array(repeating: KeyDesk.Token(permissions: manage, rpID: "example.org"), count: 4)
        + [KeyDesk.Token(permissions: manage)])
  }

  @Test("where the key gives a token that can only read, the commands that only read take that one")
  func readsOnly() async throws {
    let (desk, ids) = try await Self.desk()
    try await desk.done("credentials", "list")
    try await desk.done("credentials", "list", "--rp-id", "example.org")
    try await desk.done("credentials", "show", ids[0])
    #expect(desk.tokens == Array(repeating: .init(permissions: .persistentCredentialManagementReadOnly), count: 3))
    try await desk.done("credentials", "rename", ids[0], "--name", "a")
    #expect(desk.tokens.last == KeyDesk.Token(permissions: .credentialManagement))
  }

  @Test("a whole listing takes one token, and one request for each site and each credential", arguments: [5, 50, 100])
  func linear(sites: Int) async throws {
    let desk = try KeyDesk(state: .holding(sites: sites, each: 5)) {
      $0.profile.info.remainingDiscoverableCredentials = 1000
      $0.logLimit = 100_000
    }
    let list = try await desk.json("credentials", "list").elements
    #expect(list?.count == sites * 5)
    #expect(Set(list?.compactMap { $0["id"]?.stringValue } ?? []).count == sites * 5)
    #expect(desk.requests(.credentialManagement) == sites + sites * 5)
    // The tries, the key agreement, the token.
    #expect(desk.requests(.clientPIN) == 3)
    #expect(desk.tokens.count == 1)
    #expect(desk.requests(.getInfo) <= 2)
  }

  @Test("500 credentials of one site are listed with 501 requests, and a person hears how far it is with many sites")
  func many() async throws {
    let one = try KeyDesk(state: .holding(sites: 1, each: 500)) { $0.logLimit = 100_000 }
    #expect(try await one.json("credentials", "list").elements?.count == 500)
    #expect(one.requests(.credentialManagement) == 501)
    let many = try KeyDesk(state: .holding(sites: 500, each: 1)) { $0.logLimit = 100_000 }
    let ending = try await many.done("credentials", "list")
    #expect(ending.output.split(separator: "\n").count == 1000)
    #expect(ending.error.contains("50 of 500 done.\n") && ending.error.contains("500 of 500 done.\n"))
    #expect(many.requests(.credentialManagement) == 1000 && many.tokens.count == 1)
  }

  @Test("where the answer to a deletion is lost, it is not sent again, and the status is 14")
  func lost() async throws {
    let desk = try KeyDesk(state: .holding(sites: 1, each: 1)) {
      // The site, the credential, the deletion.
      $0.faults = FaultPlan([
        .answer(0x0a, .late(.zero), times: 2), .answer(0x0a, .lost),
      ])
    }
    let list = try desk.state.credentials[0].id
    let ending = await desk.run([
      "credentials", "delete", "Bwc", "--yes", "--pin-file", desk.scratch["pin"],
    ])
    #expect(ending.status == .uncertain, "\(ending.error)")
    #expect(ending.error.contains("lost") && !list.isEmpty)
    #expect(desk.requests(.credentialManagement) == 3)
    #expect(try desk.state.credentials.isEmpty)
  }
}
