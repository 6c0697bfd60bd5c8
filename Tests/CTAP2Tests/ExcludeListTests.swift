import BridgeTestSupport
import CBOR
import CTAP2
import CTAPHID
import CTAPMessages
import Octets
import Testing
import Timing

/// A key that knows some credentials and looks for them in the lists that it gets.
final class ListKey {
  let key = FakeKey()
  var held: Set<[UInt8]> = []
  /// The most ids and the largest request that it really takes.
  var count = Int.max
  var size = Int.max
  /// The lists that came with getAssertion and with makeCredential.
  private(set) var probes: [GetAssertionRequest] = []
  private(set) var creations: [MakeCredentialRequest] = []
  /// What a probe is answered with, where not by the list.
  var probeReaction: DeviceTransport.Reaction?
  /// Whether the assertion names the credential.
  var namesCredential = true
  /// How long each probe takes.
  var pace = Duration.zero

  init(count: Int? = nil, idLength: Int? = nil, messageSize: Int? = nil) {
    key.info.maxCredentialCountInList = count
    key.info.maxCredentialIdLength = idLength
    key.info.maxMsgSize = messageSize
    key.answer = { [unowned self] request in try self.react(request) }
  }

  private func react(_ request: FakeKey.Request) throws -> DeviceTransport.Reaction? {
    guard let parameters = request.parameters else { return nil }
    switch request.command {
    case .getAssertion:
      let probe = try GetAssertionRequest(cbor: parameters)
      probes.append(probe)
      if let probeReaction { return probeReaction }
      if let refusal = refusal(request, probe.allowList) { return refusal }
      guard let found = probe.allowList.first(where: { held.contains($0.id) }) else {
        return .status(.noCredentials, after: pace)
      }
      return .ok(try Credentials.assertion(id: namesCredential ? found.id : nil), after: pace)
    case .makeCredential:
      let creation = try MakeCredentialRequest(cbor: parameters)
      creations.append(creation)
      if let refusal = refusal(request, creation.excludeList) { return refusal }
      if creation.excludeList.contains(where: { held.contains($0.id) }) {
        return .status(.credentialExcluded, after: .seconds(1), touch: true)
      }
      return .ok(try Credentials.answer(to: creation))
    default: return nil
    }
  }

  private func refusal(_ request: FakeKey.Request, _ list: [CredentialDescriptor]) -> DeviceTransport.Reaction? {
    if request.bytes.count > size { return .status(.requestTooLarge) }
    return list.count > count ? .status(.limitExceeded) : nil
  }

  func register(_ exclude: [[UInt8]], token: PINUVAuthToken? = nil) throws -> MakeCredentialResponse {
    try key.session().makeCredential(Credentials.request(exclude: exclude), token: token, key.wait())
  }
}

@Suite("An exclude list")
struct ExcludeListTests {
  @Test(
    "goes whole with makeCredential where it fits, and is looked through in batches where not",
    arguments: [
      (0, 8, 1024, []), (1, 8, 1024, []), (8, 8, 1024, []), (9, 8, 1024, [8, 1]), (40, 8, 1024, [8, 8, 8, 8, 8]),
      (40, 40, 4096, []), (40, 64, 1024, [17, 17, 6]), (3, nil, 1024, [1, 1, 1]), (1, nil, 1024, []),
      (3, 0, 1024, [1, 1, 1]), (8, 8, nil, []), (20, 20, nil, [17, 3]), (2, 8, 230, [2]),
      (300, 300, 7609, [139, 139, 22]),
    ] as [(Int, Int?, Int?, [Int])])
  func batches(_ ids: Int, _ count: Int?, _ size: Int?, _ expected: [Int]) throws {
    let list = ListKey(count: count, messageSize: size)
    _ = try list.register(Credentials.ids(ids))
    #expect(list.probes.map(\.allowList.count) == expected)
    #expect(list.creations.count == 1)
    #expect(list.creations[0].excludeList.count == (expected.isEmpty ? ids : 0))
    #expect(list.probes.flatMap { $0.allowList.map(\.id) } == (expected.isEmpty ? [] : Credentials.ids(ids)))
    let limit = size ?? 1024
    #expect(list.key.requests.allSatisfy { $0.bytes.count <= limit })
    // A batch is as large as it can be.
    if let first = list.probes.first, first.allowList.count < min(ids, count ?? 1) {
      var larger = first
      larger.allowList.append(first.allowList[0])
      #expect(CTAPRequest.encode(.getAssertion, larger.cbor()).count > limit)
    }
  }

  @Test("is looked through silently, with neither touch nor verification")
  func silent() throws {
    let list = ListKey(count: 1)
    _ = try list.register(Credentials.ids(2))
    for probe in list.probes {
      #expect(probe.options == RequestOptions(up: false))
      #expect(probe.pinUvAuthParam == nil)
      #expect(probe.clientDataHash.count == 32)
      #expect(probe.rpID == Credentials.rpID)
    }
  }

  @Test("is looked through with a token that allows it, and without one that does not")
  func withToken() throws {
    let list = ListKey(count: 1)
    _ = try list.register(Credentials.ids(2), token: try PINKey.token(.two))
    #expect(list.probes.allSatisfy { $0.pinUvAuthParam?.count == 32 && $0.pinUvAuthProtocol == 2 })
    #expect(list.creations[0].pinUvAuthParam?.count == 32)
    let limited = ListKey(count: 1)
    _ = try limited.register(Credentials.ids(2), token: try PINKey.token(.two, permissions: .makeCredential))
    #expect(limited.probes.allSatisfy { $0.pinUvAuthParam == nil })
  }

  @Test("whose match was found goes with makeCredential as that one id, so that the key says so after a touch")
  func found() throws {
    let list = ListKey(count: 4)
    let ids = Credentials.ids(12)
    list.held = [ids[6]]
    let start = list.key.clock.now
    #expect(throws: CTAP2Error.status(.credentialExcluded, .makeCredential)) { try list.register(ids) }
    #expect(list.probes.count == 2)
    #expect(list.creations.map { $0.excludeList.map(\.id) } == [[ids[6]]])
    #expect(list.key.clock.now.since(start) >= .seconds(1))
  }

  @Test("whose match the key does not name goes with the batch in which it was")
  func foundUnnamed() throws {
    let list = ListKey(count: 1)
    list.namesCredential = false
    let ids = Credentials.ids(3)
    list.held = [ids[1]]
    #expect(throws: CTAP2Error.status(.credentialExcluded, .makeCredential)) { try list.register(ids) }
    #expect(list.creations.map { $0.excludeList.map(\.id) } == [[ids[1]]])
  }

  @Test("is sent without transports, and without ids that are too long for the key")
  func usable() throws {
    let list = ListKey(count: 8, idLength: 64)
    _ = try list.register([[1], [UInt8](repeating: 2, count: 64), [UInt8](repeating: 3, count: 65)])
    #expect(list.probes.isEmpty)
    #expect(
      list.creations[0].excludeList == [
        CredentialDescriptor(id: [1]), CredentialDescriptor(id: [UInt8](repeating: 2, count: 64)),
      ])
  }

  @Test("passes over an id that fits no message of this key")
  func oversized() throws {
    let list = ListKey(count: 2, messageSize: 400)
    let long = [UInt8](repeating: 3, count: 380)
    list.held = [[9, 9]]
    #expect(throws: CTAP2Error.status(.credentialExcluded, .makeCredential)) {
      try list.register([long, [1, 1], long, [9, 9], [1, 2]])
    }
    #expect(list.probes.map { $0.allowList.map(\.id) } == [[[1, 1]], [[9, 9], [1, 2]]])
  }

  @Test("is halved where the key takes less than it says, by count or by size")
  func halved() throws {
    let ids = Credentials.ids(16)
    let counted = ListKey(count: 16, messageSize: 4096)
    counted.count = 3
    _ = try counted.register(ids)
    #expect(counted.probes.map(\.allowList.count) == [16, 8, 4, 2, 2, 2, 2, 2, 2, 2, 2])
    #expect(counted.creations.map(\.excludeList.count) == [16, 0])

    let sized = ListKey(count: 16, messageSize: 4096)
    sized.size = 500
    sized.held = [ids[15]]
    #expect(throws: CTAP2Error.status(.credentialExcluded, .makeCredential)) { try sized.register(ids) }
    #expect(sized.creations.map { $0.excludeList.map(\.id) } == [ids, [ids[15]]])
  }

  @Test("of one id that the key finds too large ends with that")
  func singleTooLarge() throws {
    let list = ListKey(count: 1)
    list.probeReaction = .status(.requestTooLarge)
    #expect(throws: CTAP2Error.status(.requestTooLarge, .getAssertion)) { try list.register(Credentials.ids(2)) }
    #expect(list.creations.isEmpty)
  }

  @Test(
    "is taken for absent only where the key says NO_CREDENTIALS",
    arguments: [CTAPStatus.invalidCredential, .operationDenied, .puatRequired, .other, .invalidOption, .notAllowed])
  func oddAnswers(_ status: CTAPStatus) throws {
    let list = ListKey(count: 1)
    list.probeReaction = .status(status)
    #expect(throws: CTAP2Error.status(status, .getAssertion)) { try list.register(Credentials.ids(2)) }
    #expect(list.creations.isEmpty)
  }

  @Test("is not looked through for longer than a bounded time")
  func slow() throws {
    let list = ListKey(count: 1)
    list.pace = .seconds(3)
    let start = list.key.clock.now
    #expect(throws: CTAP2Error.listTooSlow(looked: 6, of: 40)) { try list.register(Credentials.ids(40)) }
    #expect(list.key.clock.now.since(start) < .seconds(23))
    #expect(list.creations.isEmpty)
  }

  @Test("is not looked through beyond the deadline, which is then the reason")
  func deadline() throws {
    let list = ListKey(count: 1)
    list.pace = .seconds(3)
    let session = try list.key.session()
    #expect {
      try session.makeCredential(
        Credentials.request(exclude: Credentials.ids(40)), token: nil, list.key.wait(.seconds(10)))
    } throws: { ($0 as? CTAP2Error)?.isTimeout == true }
    #expect(list.creations.isEmpty)
  }

  @Test("is not looked through where the key fails; nothing was created")
  func probeFails() throws {
    let list = ListKey(count: 1)
    list.probeReaction = .answer([0x00, 0xa0])
    let error = #expect(throws: CTAP2Error.self) { try list.register(Credentials.ids(2)) }
    guard case .misfit(_, .getAssertion)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.mayHaveCreated == false)
  }

  @Test("of ten thousand ids is worked through")
  func enormous() throws {
    let list = ListKey(count: 64, messageSize: 4096)
    _ = try list.register(Credentials.ids(10_000))
    #expect(list.probes.count == 157)
    #expect(list.probes.reduce(0) { $0 + $1.allowList.count } == 10_000)
  }

  @Test(
    "needs a look beforehand just where it does not fit, a token's proof included",
    arguments: [
      (0, nil, nil, false, false), (1, nil, nil, false, false), (2, nil, nil, false, true), (8, 8, nil, false, false),
      (9, 8, nil, false, true), (16, 20, nil, false, false), (15, 20, nil, true, false), (16, 20, nil, true, true),
      (17, 20, nil, false, true),
    ] as [(Int, Int?, Int?, Bool, Bool)])
  func needsPreflight(_ ids: Int, _ count: Int?, _ size: Int?, _ withToken: Bool, _ expected: Bool) throws {
    let list = ListKey(count: count, messageSize: size)
    list.key.info.pinUvAuthProtocols = [2]
    let request = Credentials.request(exclude: Credentials.ids(ids))
    #expect(KeySession.needsPreflight(list.key.info, request, withToken: withToken) == expected)
    _ = try list.register(Credentials.ids(ids), token: withToken ? try PINKey.token(.two) : nil)
    #expect(list.probes.isEmpty == !expected)
  }

  @Test("of nearly the largest size fits without a token and not with one")
  func needsPreflightForToken() throws {
    let list = ListKey(count: 20)
    list.key.info.pinUvAuthProtocols = [2]
    let request = Credentials.request(exclude: Credentials.ids(8))
    let size = CTAPRequest.encode(
      .makeCredential, Credentials.request(exclude: []).cbor()
    ).count
    // Eight descriptors of 32 bytes: each 54, with a head and a key of one byte each; a token adds 37 bytes.
    list.key.info.maxMsgSize = size + 2 + 8 * 54
    #expect(!KeySession.needsPreflight(list.key.info, request, withToken: false))
    #expect(KeySession.needsPreflight(list.key.info, request, withToken: true))
    list.key.info.maxMsgSize = size + 2 + 8 * 54 - 1
    #expect(KeySession.needsPreflight(list.key.info, request, withToken: false))
  }

  @Test("that holds nothing finds nothing")
  func empty() throws {
    let list = ListKey(count: 4)
    let session = try list.key.session()
    #expect(try session.heldCredentials(of: [], rpID: Credentials.rpID, token: nil, list.key.wait()).isEmpty)
    list.held = [[5, 5]]
    let found = try session.heldCredentials(
      of: [CredentialDescriptor(id: [4, 4]), CredentialDescriptor(id: [5, 5])], rpID: Credentials.rpID, token: nil,
      list.key.wait())
    #expect(found == [CredentialDescriptor(id: [5, 5])])
  }
}
