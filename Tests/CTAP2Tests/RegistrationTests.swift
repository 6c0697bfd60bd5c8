import Attestation
import BridgeTestSupport
import CBOR
import CTAP2
import CTAPHID
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing
import Timing

@Suite("Making a credential")
struct RegistrationTests {
  /// A key that makes a credential for each request.
  static func key(
    answer: @escaping (MakeCredentialRequest) throws -> DeviceTransport.Reaction = {
      .ok(try Credentials.answer(to: $0))
    }
  ) -> FakeKey {
    let key = FakeKey()
    key.answer = { request in
      guard request.command == .makeCredential, let parameters = request.parameters else { return nil }
      return try answer(try MakeCredentialRequest(cbor: parameters))
    }
    return key
  }

  @Test("takes getInfo and makeCredential, and getInfo only once")
  func transactions() throws {
    let key = Self.key()
    let session = try key.session()
    let created = try session.createCredential(Credentials.request(), token: nil, key.wait())
    #expect(created.attestation == .verified)
    #expect(created.response.authData.attestedCredential?.credentialID == Credentials.id)
    #expect(key.initialisations == 1)
    #expect(key.commands == [.getInfo, .makeCredential])
    _ = try session.makeCredential(Credentials.request(), token: nil, key.wait())
    #expect(key.commands == [.getInfo, .makeCredential, .makeCredential])
  }

  @Test("sends exactly these bytes for a plain request")
  func exactBytes() throws {
    let key = Self.key()
    _ = try key.session().makeCredential(Credentials.request(), token: nil, key.wait())
    let expected =
      "01" + "a4" + "015820" + Hex.encode(Credentials.hash)
      + "02a2" + "626964" + "6b6578616d706c652e6f7267" + "646e616d65" + "674578616d706c65"
      + "03a3" + "626964" + "43010203" + "646e616d65" + "65616c696365" + "6b646973706c61794e616d65" + "65416c696365"
      + "0481a2" + "63616c67" + "26" + "6474797065" + "6a7075626c69632d6b6579"
    #expect(Hex.encode(try #require(key.requests.last).bytes) == expected)
  }

  struct Options: Sendable {
    let given: RequestOptions
    let withToken: Bool
    let sent: CBORValue?
  }

  @Test(
    "sends options only where they are true, uv never beside a token, and up never",
    arguments: [
      Options(given: RequestOptions(), withToken: false, sent: nil),
      Options(given: RequestOptions(rk: false, uv: false), withToken: false, sent: nil),
      Options(given: RequestOptions(up: true), withToken: false, sent: nil),
      Options(given: RequestOptions(rk: true, up: true, uv: true), withToken: false, sent: ["rk": true, "uv": true]),
      Options(given: RequestOptions(rk: true, uv: true), withToken: true, sent: ["rk": true]),
      Options(given: RequestOptions(uv: true), withToken: true, sent: nil),
    ])
  func options(_ row: Options) throws {
    let key = Self.key()
    let session = try key.session()
    let token = row.withToken ? try PINKey.token(.two) : nil
    _ = try session.makeCredential(Credentials.request(options: row.given), token: token, key.wait())
    let sent = try #require(key.requests.last?.parameters?.mapValue)
    #expect(sent[0x07] == row.sent)
    #expect((sent[0x08] != nil) == row.withToken)
  }

  @Test("proves a token over the client data hash", arguments: PINUVAuthProtocol.allCases)
  func proof(_ version: PINUVAuthProtocol) throws {
    let key = Self.key()
    let token = try PINKey.token(version)
    _ = try key.session().makeCredential(Credentials.request(), token: token, key.wait())
    let sent = try #require(key.requests.last?.parameters?.mapValue)
    let expected = HMAC.sha256(key: SecretBytes(PINKey.tokenBytes), Credentials.hash)
    #expect(sent[0x08] == .bytes(Array(expected.prefix(version.parameterSize))))
    #expect(sent[0x09] == .int(version.rawValue))
  }

  @Test("passes over answers that cannot be the one to its request, and takes the right one behind them")
  func staleAnswers() throws {
    let key = Self.key()
    key.answer = { request in
      guard request.command == .makeCredential, let parameters = request.parameters else { return nil }
      let made = try MakeCredentialRequest(cbor: parameters)
      let other = Credentials.request()
      key.sendStale(CTAPResponse.encode(try Credentials.answer(to: other, rpID: "example.net")))
      key.sendStale(CTAPResponse.encode(try Credentials.answer(to: other, hash: [UInt8](repeating: 1, count: 32))))
      key.sendStale(CTAPResponse.encode(try Credentials.assertion(id: [1])))
      key.sendStale([0x2d])
      key.sendStale([0x00])
      return .ok(try Credentials.answer(to: made))
    }
    let created = try key.session().createCredential(Credentials.request(), token: nil, key.wait())
    #expect(created.attestation == .verified)
    #expect(key.commands == [.getInfo, .makeCredential])
  }

  enum Spoil: CaseIterable {
    case rpID, algorithm, noCredential, emptyID, noStatement, notAMap, nothing, failureWithContent

    func response(to request: MakeCredentialRequest) throws -> [UInt8] {
      var response = try Credentials.answer(to: request)
      let data = response.authData
      switch self {
      case .rpID: response = try Credentials.answer(to: request, rpID: "example.net")
      case .algorithm:
        let old = try #require(data.attestedCredential)
        let other = try AttestedCredential(
          aaguid: .zero, credentialID: old.credentialID, publicKey: COSEKey(old.publicKey.material, alg: -9))
        response.authData = try AuthenticatorData(
          rpIDHash: data.rpIDHash, flags: data.flags, signCount: 1, attestedCredential: other)
      case .noCredential:
        response.authData = try AuthenticatorData(rpIDHash: data.rpIDHash, flags: .userPresent, signCount: 1)
      case .emptyID: response = try Credentials.answer(to: request, id: [])
      case .noStatement: response.attStmt = nil
      case .notAMap: return [0x00, 0x80]
      case .nothing: return [0x00]
      case .failureWithContent: return [0x80] + CTAPResponse.encode(response).dropFirst()
      }
      return CTAPResponse.encode(response)
    }
  }

  @Test("says that a credential may exist where only a misfit answer came", arguments: Spoil.allCases)
  func misfit(_ spoil: Spoil) throws {
    let key = Self.key { .answer(try spoil.response(to: $0)) }
    let error = #expect(throws: CTAP2Error.self) {
      try key.session().makeCredential(Credentials.request(options: .init(rk: true)), token: nil, key.wait())
    }
    guard case .credentialMayExist(let creation, .misfit(_, .makeCredential))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(creation.rpID == Credentials.rpID)
    #expect(creation.isDiscoverable)
    #expect(error?.mayHaveCreated == true)
    #expect(key.commands == [.getInfo, .makeCredential])
  }

  @Test("gives the credential's id where its attestation is wrong")
  func wrongAttestation() throws {
    let key = Self.key { .ok(try Credentials.answer(to: $0, hash: [UInt8](repeating: 9, count: 32))) }
    let error = #expect(throws: CTAP2Error.self) {
      try key.session().makeCredential(Credentials.request(), token: nil, key.wait())
    }
    guard case .credentialInvalid(let response, let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response.authData.attestedCredential?.credentialID == Credentials.id)
    #expect(reason.contains("does not verify"))
    #expect(error?.description.contains(Base64URL.encode(Credentials.id)) == true)
    #expect(key.commands == [.getInfo, .makeCredential])
  }

  @Test("does not forget a credential whose attestation is wrong when a status follows it")
  func wrongAttestationThenStatus() throws {
    let key = Self.key()
    key.answer = { request in
      guard request.command == .makeCredential else { return nil }
      let other = try Credentials.answer(to: Credentials.request(), hash: [UInt8](repeating: 9, count: 32))
      key.sendStale(CTAPResponse.encode(other))
      return .status(.operationDenied)
    }
    let error = #expect(throws: CTAP2Error.self) {
      try key.session().makeCredential(Credentials.request(), token: nil, key.wait())
    }
    guard case .credentialInvalid(let response, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response.authData.attestedCredential?.credentialID == Credentials.id)
  }

  @Test("takes an attestation that it cannot check, and says why")
  func notCheckable() throws {
    let key = Self.key { request in
      var response = try Credentials.answer(to: request)
      response.attStmt?["x5c"] = [.bytes([0x30, 0x00])]
      return .ok(response)
    }
    let created = try key.session().createCredential(Credentials.request(), token: nil, key.wait())
    guard case .notCheckable = created.attestation else {
      Issue.record("\(created.attestation)")
      return
    }
  }

  @Test("takes format none without a statement")
  func formatNone() throws {
    let key = Self.key { request in
      var response = try Credentials.answer(to: request)
      response.fmt = "none"
      response.attStmt = nil
      return .ok(response)
    }
    let created = try key.session().createCredential(Credentials.request(), token: nil, key.wait())
    #expect(created.attestation == .nothingToCheck)
  }

  @Test(
    "knows from a status that nothing was made",
    arguments: [CTAPStatus.operationDenied, .credentialExcluded, .userActionTimeout, .keyStoreFull, .pinAuthInvalid])
  func status(_ status: CTAPStatus) throws {
    let key = Self.key { _ in .status(status) }
    let error = #expect(throws: CTAP2Error.self) {
      try key.session().makeCredential(Credentials.request(), token: nil, key.wait())
    }
    #expect(error == .status(status, .makeCredential))
    #expect(error?.mayHaveCreated == false)
  }

  @Test("is not believed to have failed because of an answer that was cancelled before it")
  func staleCancel() throws {
    let key = Self.key { _ in .status(.keepAliveCancel) }
    let error = #expect(throws: CTAP2Error.self) {
      try key.session().makeCredential(Credentials.request(), token: nil, key.wait())
    }
    #expect(error?.mayHaveCreated == true)
    #expect(key.commands == [.getInfo, .makeCredential])
  }

  @Test("says that a credential may exist where the key was unplugged, and sends nothing again")
  func unplugged() throws {
    let key = Self.key()
    key.answer = { request in
      if request.command == .makeCredential { key.readFailure = .unplugged }
      return nil
    }
    let error = #expect(throws: CTAP2Error.self) {
      try key.session().makeCredential(Credentials.request(), token: nil, key.wait())
    }
    guard case .credentialMayExist(let creation, .hid(.transport(.unplugged, _)))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!creation.isDiscoverable)
    #expect(error?.isUnplugged == true)
  }

  @Test("sends a request again that the key's ERROR frame shows it did not take")
  func refused() throws {
    var refusals = 2
    let key = Self.key { request in
      if refusals > 0 {
        refusals -= 1
        return .refuse(.channelBusy)
      }
      return .ok(try Credentials.answer(to: request))
    }
    _ = try key.session().makeCredential(Credentials.request(), token: nil, key.wait())
    #expect(key.commands == [.getInfo, .makeCredential, .makeCredential, .makeCredential])
  }

  @Test("ends at its deadline with CANCEL to the key, and knows that nothing was made when the key says so")
  func timeout() throws {
    let key = Self.key { _ in .work(status: .userPresenceNeeded) }
    let session = try key.session()
    _ = try session.getInfo(key.wait())
    let start = key.clock.now
    let error = #expect(throws: CTAP2Error.self) {
      try session.makeCredential(Credentials.request(), token: nil, key.wait(.seconds(5)))
    }
    #expect(error == .hid(.timeout(.userPresence, mayHaveBeenTaken: false)))
    #expect(error?.isTimeout == true)
    #expect(key.cancellations == 1)
    #expect(key.clock.now.since(start) < .seconds(7))
  }

  @Test("returns as an error, with the credential, what the key made after a cancel")
  func createdLate() throws {
    let cancellation = Cancellation()
    let key = Self.key { request in
      cancellation.cancel()
      return .ok(try Credentials.answer(to: request), after: .milliseconds(50), touch: true)
    }
    // A key that finishes what it began, whatever the host says.
    key.ignoresCancel = true
    let error = #expect(throws: CTAP2Error.self) {
      try key.session().makeCredential(Credentials.request(), token: nil, key.wait(.seconds(60), cancellation))
    }
    guard case .createdLate(let response, let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response.authData.attestedCredential?.credentialID == Credentials.id)
    #expect(cause == .hid(.cancelled(mayHaveBeenTaken: true)))
    #expect(error?.isCancellation == true)
    #expect(error?.mayHaveCreated == true)
  }

  @Test("returns as an error, with the credential, what the key made after the deadline")
  func createdAfterDeadline() throws {
    let key = Self.key { .ok(try Credentials.answer(to: $0), after: .milliseconds(5200), touch: true) }
    key.ignoresCancel = true
    let session = try key.session()
    _ = try session.getInfo(key.wait())
    let error = #expect(throws: CTAP2Error.self) {
      try session.makeCredential(Credentials.request(), token: nil, key.wait(.seconds(5)))
    }
    guard case .createdLate(_, .hid(.timeout))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.isTimeout == true)
  }

  @Test("tells the keep-alive status as it changes")
  func keepAlive() throws {
    let key = Self.key { .ok(try Credentials.answer(to: $0), after: .seconds(2), touch: true) }
    let seen = Seen()
    var wait = key.wait()
    wait.onKeepAlive = { seen.add($0) }
    _ = try key.session().makeCredential(Credentials.request(), token: nil, wait)
    #expect(seen.all.contains(.userPresenceNeeded))
  }
}
