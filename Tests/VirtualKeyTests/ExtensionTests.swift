import BridgeTestSupport
import CBOR
import CTAPMessages
import Testing

@testable import VirtualKey

@Suite("extensions but hmac-secret")
struct ExtensionTests {
  private func request(_ extensions: CBORMap, rk: Bool? = nil, user: [UInt8] = [1]) -> MakeCredentialRequest {
    var request = MakeCredentialRequest.sample(user: user, rk: rk)
    request.extensions = extensions
    return request
  }

  @Test("credProtect decides who may see the credential", arguments: [true, false], [1, 2, 3])
  func credProtect(_ resident: Bool, _ level: Int) throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    let made = try key.make(host.signed(request(["credProtect": .int(level)], rk: resident)))
    #expect(made.authData.extensions == ["credProtect": .int(level)])
    let without: CTAPStatus = level == 3 ? .noCredentials : .ok
    #expect(try key.getStatus(.sample(allow: [made.id])) == without)
    if resident { #expect(try key.getStatus(.sample()) == (level == 1 ? .ok : .noCredentials)) }
    for allow in resident ? [[], [made.id]] : [[made.id]] {
      try host.obtain(host.token("1234"))
      #expect(try key.get(host.signed(.sample(allow: allow))).credential?.id == made.id)
    }
    // In an exclude list level 3 is hidden from who is not verified.
    var again = request([:])
    again.excludeList = [CredentialDescriptor(id: made.id)]
    #expect(try key.makeStatus(again) == (level == 3 ? .ok : .credentialExcluded))
    try host.obtain(host.token("1234"))
    #expect(try key.makeStatus(host.signed(again)) == .credentialExcluded)
  }

  @Test("a hidden credential does not stop the list from answering")
  func hidden() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    let hidden = try key.make(host.signed(request(["credProtect": 3])))
    let open = try key.make(request([:]))
    #expect(try key.get(.sample(allow: [hidden.id, open.id])).credential?.id == open.id)
  }

  @Test(
    "an input that is not what it should be is refused",
    arguments: [
      (["credProtect": 0], .invalidOption), (["credProtect": 4], .invalidOption),
      (["credProtect": "1"], .cborUnexpectedType), (["hmac-secret": 1], .cborUnexpectedType),
      (["credBlob": true], .cborUnexpectedType), (["minPinLength": 1], .cborUnexpectedType),
      (["largeBlobKey": false], .invalidOption), (["largeBlobKey": true], .invalidOption),
      (["hmac-secret-mc": true], .cborUnexpectedType),
      (["hmac-secret": true, "hmac-secret-mc": [1: [:], 2: 1]], .missingParameter),
    ] as [(CBORMap, CTAPStatus)])
  func wrongInputs(_ extensions: CBORMap, _ status: CTAPStatus) throws {
    let key = try TestKey()
    #expect(try key.makeStatus(request(extensions)) == status)
    #expect(key.touches == 0)
  }

  @Test("what the profile does not announce is ignored")
  func unannounced() throws {
    let key = try TestKey(.with { $0.extensions = nil })
    let made = try key.make(
      request(["credProtect": 3, "hmac-secret": true, "credBlob": [1], "minPinLength": true, "largeBlobKey": false]))
    #expect(made.authData.extensions == nil)
    var get = GetAssertionRequest.sample(allow: [made.id])
    get.extensions = ["hmac-secret": 1, "credBlob": 1, "largeBlobKey": 1]
    #expect(try key.get(get).authData.extensions == nil)
  }

  @Test("a credBlob is kept with a resident credential, up to the profile's size", arguments: [0, 1, 128, 129])
  func credBlob(_ size: Int) throws {
    let key = try TestKey()
    let blob = [UInt8](repeating: 5, count: size)
    let made = try key.make(request(["credBlob": .bytes(blob)], rk: true))
    #expect(made.authData.extensions == ["credBlob": .bool(size <= 128)])
    var get = GetAssertionRequest.sample()
    get.extensions = ["credBlob": true]
    #expect(try key.get(get).authData.extensions == ["credBlob": .bytes(size <= 128 ? blob : [])])
    get.extensions = ["credBlob": false]
    #expect(try key.get(get).authData.extensions == nil)
    get.extensions = ["credBlob": 1]
    #expect(try key.getStatus(get) == .cborUnexpectedType)
    let other = try key.make(request(["credBlob": .bytes(blob)]))
    #expect(other.authData.extensions == ["credBlob": false])
    #expect(
      try TestKey(.with { $0.maxCredBlobLength = nil }).make(
        request(["credBlob": .bytes([UInt8](repeating: 1, count: 33))], rk: true)
      ).authData.extensions
        == ["credBlob": false])
  }

  @Test("the minimum PIN length is told to RPs that may know it")
  func minPinLength() throws {
    var configuration = VirtualKeyConfiguration.with { $0.minPINLength = 6 }
    configuration.minimumPINLengthRPIDs = ["example.org"]
    let key = try TestKey(configuration)
    #expect(try key.make(request(["minPinLength": true])).authData.extensions == ["minPinLength": 6])
    #expect(try key.make(request(["minPinLength": false])).authData.extensions == nil)
    var other = request(["minPinLength": true])
    other.rp.id = "example.com"
    #expect(try key.make(other).authData.extensions == nil)
    // So do those that a manager put into the store, with a length of theirs.
    var state = try #require(try key.store.load())
    state.minimumPINLengthRPIDs = ["example.com"]
    state.minimumPINLength = 8
    try key.store.save(state)
    let later = try TestKey(store: key.store)
    #expect(try later.make(other).authData.extensions == ["minPinLength": 8])
    #expect(try later.info().minPINLength == 8)
  }

  @Test("a largeBlobKey comes with a resident credential, outside of the signed data, and again on request")
  func largeBlobKey() throws {
    let key = try TestKey()
    let made = try key.make(request(["largeBlobKey": true], rk: true))
    #expect(made.largeBlobKey?.count == 32)
    #expect(made.authData.extensions == nil)
    var get = GetAssertionRequest.sample()
    #expect(try key.get(get).largeBlobKey == nil)
    get.extensions = ["largeBlobKey": true]
    #expect(try key.get(get).largeBlobKey == made.largeBlobKey)
    get.extensions = ["largeBlobKey": false]
    #expect(try key.getStatus(get) == .invalidOption)
    get.extensions = ["largeBlobKey": true]
    get.allowList = [CredentialDescriptor(id: try key.make(request([:])).id)]
    #expect(try key.get(get).largeBlobKey == nil)
  }

  @Test("what a state overrides shows in getInfo")
  func overrides() throws {
    let store = MemoryStore()
    let options: [String: Bool?] = ["alwaysUv": false, "ep": false]
    _ = try TestKey(.with(options: options), store: store).make(.sample())
    var state = try #require(store.load())
    state.alwaysUV = true
    state.enterpriseAttestation = true
    state.mustChangePIN = true
    store.save(state)
    let info = try TestKey(.with(options: options), store: store).info()
    #expect(info.options?[.alwaysUv] == true)
    #expect(info.options?[.ep] == true)
    #expect(info.forcePINChange == true)
  }
}
