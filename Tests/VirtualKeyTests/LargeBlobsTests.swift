import BridgeTestSupport
import CBOR
import CTAPMessages
import FIDOCrypto
import Testing

@testable import VirtualKey

@Suite("largeBlobs")
struct LargeBlobsTests {
  // CTAP 2.1 §6.10 gives these bytes for an array with nothing in it.
  static let empty = hex("8076be8b528d0075f7aae98d6fa57a6d3c")

  /// An array of one byte string in CBOR with its hash, so many bytes in all.
  static func array(_ size: Int, filledWith byte: UInt8 = 7) -> [UInt8] {
    var content = size - 16
    var array = [UInt8]()
    while array.count != size - 16 {
      content -= 1
      array = CBORValue.array([.bytes([UInt8](repeating: byte, count: content))]).encoded()
    }
    return array + Digest.sha256(array).prefix(16)
  }

  private func read(_ key: TestKey, fragment: Int = 960) throws -> [UInt8] {
    var array: [UInt8] = []
    while true {
      let part: LargeBlobsResponse = try key.answer(.largeBlobs, LargeBlobsRequest(get: fragment, offset: array.count))
      array += part.config ?? []
      if (part.config ?? []).count < fragment { return array }
    }
  }

  /// Writes in parts; the status is that of the first that was refused, or success.
  private func write(_ array: [UInt8], to key: TestKey, with host: PINHost? = nil, fragment: Int = 960) throws
    -> CTAPStatus
  {
    for start in stride(from: 0, to: array.count, by: fragment) {
      let part = Array(array[start..<min(start + fragment, array.count)])
      let request = LargeBlobsRequest(set: part, offset: start, length: start == 0 ? array.count : nil)
      let status = try key.status(.largeBlobs, host?.signed(request) ?? request)
      if status != .ok { return status }
    }
    return .ok
  }

  @Test("a new key has the empty array of the specification, in parts of any size")
  func initial() throws {
    let key = try TestKey()
    for fragment in [1, 7, 16, 17, 18, 7545] { #expect(try read(key, fragment: fragment) == Self.empty) }
    #expect(LargeBlobArray.empty == Self.empty)
    #expect(try key.info().maxSerializedLargeBlobArray == 4096)
    #expect(key.touches == 0)
  }

  @Test("what is written whole is read again, also after the power was away", arguments: [18, 500, 4096], [100, 960])
  func roundTrip(_ size: Int, _ fragment: Int) throws {
    let store = MemoryStore()
    let key = try TestKey(store: store)
    let array = Self.array(size)
    #expect(try write(array, to: key, fragment: fragment) == .ok)
    #expect(key.events.last { $0 != .answered(0x0c, .ok, size: 1) } == .largeBlobsWritten(array))
    #expect(try read(key) == array)
    try key.powerCycle()
    #expect(try read(key) == array)
    #expect(try read(TestKey(store: store)) == array)
    #expect(try write(Self.empty, to: key) == .ok)
    #expect(try read(key) == Self.empty)
  }

  @Test("until the last part has come, the array is as it was", arguments: [false, true])
  func unfinished(_ losesPower: Bool) throws {
    let key = try TestKey()
    let (old, new) = (Self.array(1000), Self.array(2000, filledWith: 8))
    #expect(try write(old, to: key) == .ok)
    let first = LargeBlobsRequest(set: Array(new[..<960]), offset: 0, length: 2000)
    #expect(try key.status(.largeBlobs, first) == .ok)
    #expect(try read(key) == old)
    let second = LargeBlobsRequest(set: Array(new[960...]), offset: 960)
    if losesPower {
      try key.powerCycle()
      #expect(try key.status(.largeBlobs, second) == .invalidSequence)
      #expect(try read(key) == old)
    } else {
      #expect(try key.status(.largeBlobs, second) == .ok)
      #expect(try read(key) == new)
    }
  }

  @Test(
    "a request that is not as it should be is refused",
    arguments: [
      ([3: 0], .invalidParameter), ([1: 17], .invalidParameter), ([1: 17, 2: .bytes([]), 3: 0], .invalidParameter),
      ([1: 17, 3: 0, 4: 17], .invalidParameter), ([1: 17, 3: 0, 5: .bytes([1])], .invalidParameter),
      ([1: 17, 3: 0, 6: 2], .invalidParameter), ([1: 7546, 3: 0], .invalidLength), ([1: 1, 3: 18], .invalidParameter),
      ([1: "1", 3: 0], .cborUnexpectedType), ([2: .bytes([1]), 3: 0], .invalidParameter),
      ([2: .bytes([UInt8](repeating: 0, count: 7546)), 3: 0, 4: 7546], .invalidLength),
      ([2: .bytes([1]), 3: 0, 4: 4097], .largeBlobStorageFull), ([2: .bytes([1]), 3: 0, 4: 16], .invalidParameter),
      ([2: .bytes([1]), 3: 1], .invalidSequence), ([2: .bytes([1]), 3: 1, 4: 20], .invalidParameter),
      ([2: .bytes([UInt8](repeating: 0, count: 18)), 3: 0, 4: 17], .invalidParameter),
      ([2: .bytes([UInt8](repeating: 0, count: 17)), 3: 0, 4: 17], .integrityFailure),
    ] as [(CBORMap, CTAPStatus)])
  func refused(_ parameters: CBORMap, _ status: CTAPStatus) throws {
    let key = try TestKey()
    #expect(try key.raw([0x0c] + CBORValue.map(parameters).encoded()).status == status)
    #expect(try read(key) == Self.empty)
  }

  @Test("parts come in their order, and each part once")
  func order() throws {
    let key = try TestKey()
    let array = Self.array(100)
    func send(_ range: Range<Int>, length: Int? = nil) throws -> CTAPStatus {
      try key.status(
        .largeBlobs, LargeBlobsRequest(set: Array(array[range]), offset: range.lowerBound, length: length))
    }
    #expect(try send(0..<40, length: 100) == .ok)
    #expect(try send(50..<100) == .invalidSequence)
    #expect(try send(40..<60) == .ok)
    #expect(try send(40..<60) == .invalidSequence)
    // A first part begins anew.
    #expect(try send(0..<30, length: 100) == .ok)
    #expect(try send(30..<100) == .ok)
    #expect(try send(100..<100) == .invalidSequence)
    #expect(try read(key) == array)
  }

  @Test("an array whose hash is wrong is refused at its last part, and the next has to begin anew")
  func integrity() throws {
    let key = try TestKey()
    var array = Self.array(1000)
    array[500] ^= 1
    #expect(try write(array, to: key) == .integrityFailure)
    #expect(try read(key) == Self.empty)
    let part = LargeBlobsRequest(set: [1], offset: 1000)
    #expect(try key.status(.largeBlobs, part) == .invalidSequence)
  }

  @Test("where a PIN is set, each part needs a token with the permission", arguments: [1, 2])
  func token(_ version: Int) throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key, version: version)
    let array = Self.array(2000)
    #expect(try write(array, to: key) == .puatRequired)
    try host.obtain(host.token("1234", [.makeCredential, .getAssertion]))
    #expect(try write(array, to: key, with: host) == .pinAuthInvalid)
    try host.obtain(host.token("1234", .largeBlobWrite, rpID: nil))
    #expect(try write(array, to: key, with: host) == .ok)
    #expect(try read(key) == array)
    var spoiled = host.signed(LargeBlobsRequest(set: Self.empty, offset: 0, length: 17))
    spoiled.pinUvAuthProtocol = nil
    #expect(try key.status(.largeBlobs, spoiled) == .missingParameter)
    spoiled.pinUvAuthProtocol = 3
    #expect(try key.status(.largeBlobs, spoiled) == .invalidParameter)
    spoiled = host.signed(LargeBlobsRequest(set: Self.empty, offset: 0, length: 17))
    spoiled.pinUvAuthParam?[0] ^= 1
    #expect(try key.status(.largeBlobs, spoiled) == .pinAuthInvalid)
    // A MAC is for one offset.
    let first = host.signed(LargeBlobsRequest(set: [0x80], offset: 0, length: 17))
    #expect(try key.status(.largeBlobs, first) == .ok)
    var second = LargeBlobsRequest(set: [0x80], offset: 1)
    (second.pinUvAuthParam, second.pinUvAuthProtocol) = (first.pinUvAuthParam, version)
    #expect(try key.status(.largeBlobs, second) == .pinAuthInvalid)
    #expect(try read(key) == array)
  }

  @Test("the permission outlives the touch of a sign-in with the same token")
  func afterSignIn() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234", [.makeCredential, .largeBlobWrite]))
    _ = try key.make(host.signed(.sample(rk: true)))
    #expect(try write(Self.array(100), to: key, with: host) == .ok)
  }

  @Test("alwaysUv demands a token even where no PIN is set")
  func alwaysUV() throws {
    let key = try TestKey(.with(options: ["alwaysUv": true]))
    #expect(try write(Self.array(100), to: key) == .puatRequired)
    #expect(try read(key) == Self.empty)
  }

  @Test("a fragment is at most the largest message less 64 bytes")
  func fragment() throws {
    let key = try TestKey(.with { $0.maxMsgSize = 1024 })
    #expect(try key.status(.largeBlobs, LargeBlobsRequest(get: 960, offset: 0)) == .ok)
    #expect(try key.status(.largeBlobs, LargeBlobsRequest(get: 961, offset: 0)) == .invalidLength)
    #expect(try write(Self.array(2000), to: key, fragment: 961) == .invalidLength)
    #expect(try write(Self.array(2000), to: key, fragment: 960) == .ok)
  }

  @Test(
    "the room is the profile's, and never less than 1024 bytes", arguments: [(nil, 1024), (10, 1024), (2048, 2048)])
  func capacity(_ announced: Int?, _ room: Int) throws {
    let key = try TestKey(.with { $0.maxSerializedLargeBlobArray = announced })
    #expect(try write(Self.array(room + 1), to: key) == .largeBlobStorageFull)
    #expect(try write(Self.array(room), to: key) == .ok)
  }

  @Test("a key without the option has no such command", arguments: [nil, false])
  func without(_ option: Bool?) throws {
    let key = try TestKey(.with(options: ["largeBlobs": option]))
    #expect(try key.status(.largeBlobs, LargeBlobsRequest(get: 17, offset: 0)) == .invalidCommand)
  }

  @Test("a reset empties the array, and a store that fails leaves it as it was")
  func resetAndFailure() throws {
    let store = WatchedStore()
    let key = try TestKey(store: store)
    let array = Self.array(100)
    #expect(try write(array, to: key) == .ok)
    store.failure = .stopped
    #expect(try write(Self.empty, to: key) == .other)
    store.failure = nil
    #expect(try read(key) == array)
    #expect(try key.status(.reset) == .ok)
    #expect(try read(key) == Self.empty)
  }
}
