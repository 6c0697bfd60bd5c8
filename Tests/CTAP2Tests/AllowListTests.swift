import BridgeTestSupport
import CTAP2
import CTAPHID
import CTAPMessages
import Testing

@Suite("An allow list")
struct AllowListTests {
  private func request(_ ids: [[UInt8]]) -> GetAssertionRequest {
    GetAssertionRequest(
      rpID: Credentials.rpID, clientDataHash: Credentials.hash,
      allowList: ids.map { CredentialDescriptor(id: $0, transports: ["usb"]) })
  }

  @Test("that fits goes whole and without transports, and an answer without a name is that of a list of one")
  func whole() throws {
    let list = ListKey(count: 10, messageSize: 2000)
    list.held = [Credentials.id]
    let session = try list.key.session()
    let ids = Credentials.ids(3) + [Credentials.id]
    let response = try session.getAssertionOfList(request(ids), token: nil, list.key.wait())
    #expect(response.credential?.id == Credentials.id)
    #expect(list.probes.map { $0.allowList.map(\.id) } == [ids])
    #expect(list.probes.allSatisfy { $0.allowList.allSatisfy { $0.transports == nil } })
    list.namesCredential = false
    let only = try session.getAssertionOfList(request([Credentials.id]), token: nil, list.key.wait())
    #expect(only.credential?.id == Credentials.id)
  }

  @Test("that the key finds too large after all is looked through")
  func tooLarge() throws {
    let list = ListKey(count: 100, messageSize: 7000)
    list.held = [Credentials.id]
    list.size = 400
    let session = try list.key.session()
    let response = try session.getAssertionOfList(
      request(Credentials.ids(39) + [Credentials.id]), token: nil, list.key.wait())
    #expect(response.credential?.id == Credentials.id)
    #expect(list.probes.last?.allowList.map(\.id) == [Credentials.id])
    #expect(list.probes.last?.options.up == nil)
    #expect(list.probes.dropFirst().dropLast().allSatisfy { $0.options.up == false })
  }

  @Test("of which nothing can be the key's is not sent, because no list would mean any credential")
  func nothing() throws {
    let list = ListKey(count: 10, idLength: 16)
    let session = try list.key.session()
    #expect(throws: CTAP2Error.status(.noCredentials, .getAssertion)) {
      try session.getAssertionOfList(request(Credentials.ids(3)), token: nil, list.key.wait())
    }
    #expect(list.probes.isEmpty)
  }

  /// A key that counts `count` accounts and has `real` of them.
  private func accounts(
    count: Int?, real: Int, selected: Bool? = nil, end: CTAPStatus = .notAllowed
  ) throws -> Result<[GetAssertionResponse], CTAP2Error> {
    let key = FakeKey()
    var given = 0
    key.answer = { request in
      guard request.command == .getAssertion || request.command == .getNextAssertion else { return nil }
      guard given < real else { return .status(end) }
      var response = try Credentials.assertion(id: [UInt8(given)])
      if given == 0 {
        response.numberOfCredentials = count
        response.userSelected = selected
      }
      given += 1
      return .ok(response)
    }
    let session = try key.session()
    do throws(CTAP2Error) {
      return .success(try session.getAllAssertions(request([]), token: nil, key.wait()))
    } catch {
      return .failure(error)
    }
  }

  @Test(
    "that is empty brings every account that the key has, and no more",
    arguments: [(nil, 1, nil, 1), (1, 1, nil, 1), (3, 3, nil, 3), (3, 5, nil, 3), (9, 3, nil, 3), (3, 3, true, 1)]
      as [(Int?, Int, Bool?, Int)])
  func allAccounts(_ count: Int?, _ real: Int, _ selected: Bool?, _ expected: Int) throws {
    let responses = try accounts(count: count, real: real, selected: selected).get()
    #expect(responses.map { $0.credential?.id } == (0..<expected).map { [UInt8($0)] })
  }

  @Test("ends with the key's own error where a further account cannot be fetched")
  func failing() throws {
    #expect(try accounts(count: 3, real: 2, end: .other) == .failure(.status(.other, .getNextAssertion)))
  }
}
