import BridgeTestSupport
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Testing

@testable import CTAP2

@Suite("Listing credentials")
struct CredentialListingTests {
  @Test("tells the sites, the accounts and what the key says of each", arguments: [false, true])
  func list(preview: Bool) throws {
    let fake = CredentialKey(count: 2, each: 3, preview: preview)
    let session = try fake.key.session()
    let list = try session.credentials(CredentialKey.token(), fake.key.wait())
    let ids: [[UInt8]] = [[0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0], [1, 0, 1, 0], [1, 0, 2, 0]]
    #expect(list.map(\.id) == ids)
    let names = ["user 0", "user 1", "user 2"]
    #expect(list.map(\.user.name) == names + names)
    let sites = [String](repeating: "site0.example", count: 3) + [String](repeating: "site1.example", count: 3)
    #expect(list.map(\.relyingParty.id) == sites)
    #expect(list.allSatisfy { $0.relyingParty.isIDWhole && $0.protection == 2 && $0.largeBlobKey == nil })
    let commands = Set(fake.key.commands.dropFirst())
    #expect(commands == [preview ? .credentialManagementPreview : .credentialManagement])
  }

  @Test("tells how full the store is")
  func metadata() throws {
    let fake = CredentialKey(count: 2, each: 3)
    let session = try fake.key.session()
    let metadata = try session.credentialMetadata(CredentialKey.token(), fake.key.wait())
    #expect(metadata == CredentialStoreMetadata(existing: 6, remaining: 7))
  }

  @Test(
    "takes two transactions for each credential at the most, however many there are",
    arguments: [(500, 1), (1, 500), (50, 10), (10, 1), (1, 1)])
  func transactions(sites: Int, each: Int) throws {
    let fake = CredentialKey(count: sites, each: each)
    let session = try fake.key.session()
    let list = try session.credentials(CredentialKey.token(), fake.key.wait(.seconds(600)))
    #expect(list.count == sites * each)
    // One for each site and one for each credential, and getInfo.
    #expect(fake.key.requests.count == 1 + sites + sites * each)
    #expect(fake.seen.count { $0.pinUvAuthParam != nil } == 1 + sites)
  }

  @Test("of one site takes a transaction for each of its credentials, and tells how far it is")
  func oneSite() throws {
    let fake = CredentialKey(count: 20, each: 4)
    let session = try fake.key.session()
    var progress: [[Int]] = []
    let list = try session.credentials(
      of: StoredRelyingParty(id: "site7.example"), CredentialKey.token(), fake.key.wait()
    ) { progress.append([$0, $1]) }
    #expect(list.count == 4 && list.allSatisfy { $0.relyingParty.id == "site7.example" })
    #expect(fake.seen.count == 4)
    #expect(progress == [[1, 4], [2, 4], [3, 4], [4, 4]])
  }

  @Test("of a key without any is empty, whichever way the key says so")
  func empty() throws {
    let none = CredentialKey(count: 0, each: 0)
    #expect(try none.key.session().credentials(CredentialKey.token(), none.key.wait()).isEmpty)
    let zero = CredentialKey(count: 1, each: 1)
    zero.spoil = { response in
      response = CredentialManagementResponse()
      response.totalRPs = 0
    }
    #expect(try zero.key.session().relyingParties(CredentialKey.token(), zero.key.wait()).isEmpty)
    let other = CredentialKey(count: 1, each: 1)
    let absent = StoredRelyingParty(id: "absent.example")
    #expect(try other.key.session().credentials(of: absent, CredentialKey.token(), other.key.wait()).isEmpty)
  }

  @Test("begins again where another program's command made the key forget its place", arguments: [1, 2, 3])
  func interrupted(times: Int) throws {
    let fake = CredentialKey(count: 4, each: 0)
    // The second request of each pass fails.
    for pass in 0..<times { fake.interference[2 + 2 * pass] = .status(.notAllowed) }
    let session = try fake.key.session()
    if times <= KeySession.listingRestarts {
      #expect(try session.relyingParties(CredentialKey.token(), fake.key.wait()).count == 4)
    } else {
      #expect(throws: CTAP2Error.status(.notAllowed, .credentialManagement)) {
        try session.relyingParties(CredentialKey.token(), fake.key.wait())
      }
    }
  }

  @Test("never asks for the next one twice, because that would pass over one")
  func lostNext() throws {
    let fake = CredentialKey(count: 3, each: 0)
    fake.interference[2] = .refuse(.channelBusy)
    let session = try fake.key.session()
    #expect(try session.relyingParties(CredentialKey.token(), fake.key.wait()).count == 3)
    #expect(
      fake.seen.map(\.subCommand) == [
        .enumerateRPsBegin, .enumerateRPsGetNextRP, .enumerateRPsBegin, .enumerateRPsGetNextRP, .enumerateRPsGetNextRP,
      ])
  }

  @Test(
    "ends with an error where the key would list for ever",
    arguments: [KeySession.mostListed + 1, Int(UInt32.max), Int.max])
  func forEver(total: Int) throws {
    let fake = CredentialKey(count: 2, each: 1)
    fake.spoil = { if $0.totalRPs != nil { $0.totalRPs = total } }
    let session = try fake.key.session()
    #expect {
      try session.credentials(CredentialKey.token(), fake.key.wait())
    } throws: { error in
      guard case .misfit(let reason, .credentialManagement) = error as? CTAP2Error else { return false }
      return reason.contains("4096 are the most")
    }
  }

  @Test("ends with an error where the key tells the same one again and again")
  func sameAgain() throws {
    let fake = CredentialKey(count: 3, each: 1)
    fake.spoil = { response in
      response.rpIDHash = [UInt8](repeating: 9, count: 32)
      response.rp = nil
      if response.totalRPs != nil { response.totalRPs = 4000 }
    }
    let session = try fake.key.session()
    #expect {
      try session.relyingParties(CredentialKey.token(), fake.key.wait(.seconds(600)))
    } throws: { error in
      guard case .misfit(let reason, _) = error as? CTAP2Error else { return false }
      return reason.contains("twice")
    }
  }

  @Test(
    "passes over an answer that lacks what it must have",
    arguments: [
      { $0.rpIDHash = nil }, { $0.rpIDHash = [1, 2] }, { $0.totalRPs = nil },
      { $0.rpIDHash = [UInt8](repeating: 9, count: 32) }, { $0.rp?.id = String(repeating: "a", count: 31) },
    ] as [@Sendable (inout CredentialManagementResponse) -> Void])
  func incomplete(_ spoil: @escaping @Sendable (inout CredentialManagementResponse) -> Void) throws {
    let fake = CredentialKey(count: 2, each: 1)
    fake.spoil = spoil
    let session = try fake.key.session()
    #expect {
      try session.relyingParties(CredentialKey.token(), fake.key.wait())
    } throws: { error in
      if case .misfit = error as? CTAP2Error { true } else { false }
    }
  }

  @Test("shows an RP ID that the key has cut as one")
  func cut() throws {
    let fake = CredentialKey(count: 1, each: 1)
    fake.spoil = { $0.rp?.id = "https://…accounts.of.site0.example" }
    let parties = try fake.key.session().relyingParties(CredentialKey.token(), fake.key.wait())
    #expect(parties.map(\.isIDWhole) == [false])
    #expect(parties.map(\.idHash) == [Digest.sha256(Array("site0.example".utf8))])
  }
}

@Suite("Changing credentials")
struct CredentialChangeTests {
  @Test("deletes one and renames one")
  func changes() throws {
    let fake = CredentialKey(count: 1, each: 2)
    let session = try fake.key.session()
    let token = try CredentialKey.token()
    let list = try session.credentials(token, fake.key.wait())
    try session.deleteCredential(list[0].descriptor, token, fake.key.wait())
    let user = UserEntity(id: list[1].user.id, name: "new", displayName: "New")
    try session.updateUser(user, of: list[1].descriptor, token, fake.key.wait())
    #expect(fake.parties[0].credentials.map(\.user) == [user])
    #expect(throws: CTAP2Error.status(.noCredentials, .credentialManagement)) {
      try session.deleteCredential(list[0].descriptor, token, fake.key.wait())
    }
  }

  @Test("asks in the preview's form where the key announces the final one and does not know it", arguments: [0, 1])
  func misannounced(form: Int) throws {
    let fake = CredentialKey(count: 1, each: 2)
    fake.command = .credentialManagementPreview
    if form == 1 {
      // The transport says so in place of a status.
      let answer = fake.key.answer
      fake.key.answer = { $0.command == .credentialManagement ? .refuse(.invalidCommand) : try answer($0) }
    }
    let session = try fake.key.session()
    let token = try CredentialKey.token()
    let list = try session.credentials(token, fake.key.wait())
    try session.deleteCredential(list[0].descriptor, token, fake.key.wait())
    #expect(fake.parties[0].credentials.count == 1)
    // The final form is tried at the first request alone; an ERROR frame is believed when it comes a second time.
    let tries = fake.key.commands.count { $0 == .credentialManagement }
    #expect(tries == 1 + form)
    #expect(fake.key.commands.dropFirst(1 + tries).allSatisfy { $0 == .credentialManagementPreview })
  }

  @Test("is not tried on a key that has no such command")
  func notOffered() throws {
    let key = FakeKey()
    #expect(throws: CTAP2Error.notOffered("credential management")) {
      try key.session().credentials(CredentialKey.token(), key.wait())
    }
    #expect(key.commands == [.getInfo])
    let neither = CredentialKey(count: 1, each: 1)
    neither.command = .selection
    #expect(throws: CTAP2Error.status(.invalidCommand, .credentialManagement)) {
      try neither.key.session().credentialMetadata(CredentialKey.token(), neither.key.wait())
    }
  }
}
