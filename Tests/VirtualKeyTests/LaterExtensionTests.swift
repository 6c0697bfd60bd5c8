import CBOR
import CTAPMessages
import Testing

@testable import VirtualKey

@Suite("extensions of CTAP 2.2 and 2.3, and those that only echo")
struct LaterExtensionTests {
  private func request(_ extensions: CBORMap, rk: Bool? = nil) -> MakeCredentialRequest {
    var request = MakeCredentialRequest.sample(rk: rk)
    request.extensions = extensions
    return request
  }

  private func get(_ extensions: CBORMap, allow: [[UInt8]] = []) -> GetAssertionRequest {
    var request = GetAssertionRequest.sample(allow: allow)
    request.extensions = extensions
    return request
  }

  @Test("thirdPartyPayment shows at sign-in what was asked for at creation", arguments: [true, false], [true, false])
  func payment(_ isResident: Bool, _ isMarked: Bool) throws {
    let key = try TestKey()
    let made = try key.make(request(["thirdPartyPayment": .bool(isMarked), "credProtect": 2], rk: isResident))
    #expect(made.authData.extensions == ["credProtect": 2])
    #expect(
      try key.get(get(["thirdPartyPayment": true], allow: [made.id])).authData.extensions
        == ["thirdPartyPayment": .bool(isMarked)])
    #expect(try key.get(get(["thirdPartyPayment": false], allow: [made.id])).authData.extensions == nil)
    let plain = try key.make(.sample(user: [2]))
    #expect(
      try key.get(get(["thirdPartyPayment": true], allow: [plain.id])).authData.extensions
        == ["thirdPartyPayment": false])
  }

  @Test("pinComplexityPolicy is told to the RPs that may know it", arguments: [true, false])
  func pinComplexity(_ isEnforced: Bool) throws {
    var configuration = VirtualKeyConfiguration.with { $0.pinComplexityPolicy = isEnforced }
    configuration.minimumPINLengthRPIDs = ["example.org"]
    let key = try TestKey(configuration)
    var wanted = request(["pinComplexityPolicy": true, "minPinLength": true])
    #expect(
      try key.make(wanted).authData.extensions == ["pinComplexityPolicy": .bool(isEnforced), "minPinLength": 4])
    #expect(try key.make(request(["pinComplexityPolicy": false])).authData.extensions == nil)
    wanted.rp.id = "example.com"
    #expect(try key.make(wanted).authData.extensions == nil)
  }

  @Test(
    "an input that is not what it should be is refused",
    arguments: [
      (["thirdPartyPayment": 1], .cborUnexpectedType), (["pinComplexityPolicy": "x"], .cborUnexpectedType),
      (["largeBlob": true], .cborUnexpectedType), (["largeBlob": [:]], .invalidOption),
      (["largeBlob": ["support": "always"]], .invalidOption),
      (["largeBlob": ["support": "required"]], .unsupportedExtension),
    ] as [(CBORMap, CTAPStatus)])
  func wrongAtCreation(_ extensions: CBORMap, _ status: CTAPStatus) throws {
    #expect(try directKey().makeStatus(request(extensions)) == status)
  }

  @Test(
    "so it is at sign-in",
    arguments: [
      (["thirdPartyPayment": 1], .cborUnexpectedType), (["largeBlob": true], .cborUnexpectedType),
      (["largeBlob": ["read": 1]], .cborUnexpectedType), (["largeBlob": [:]], .invalidOption),
      (["largeBlob": ["read": true, "write": .bytes([1])]], .invalidOption),
      (["largeBlob": ["write": .bytes([1])]], .invalidOption),
      (["largeBlob": ["write": "1", "originalSize": 1]], .cborUnexpectedType),
      (["largeBlob": ["write": .bytes([1]), "originalSize": -1]], .cborUnexpectedType),
      (["largeBlob": ["write": .bytes([1]), "originalSize": .unsigned(.max)]], .invalidOption),
      (["largeBlob": ["write": .bytes([1]), "originalSize": 1]], .invalidOption),
    ] as [(CBORMap, CTAPStatus)])
  func wrongAtSignIn(_ extensions: CBORMap, _ status: CTAPStatus) throws {
    let key = try directKey()
    _ = try key.make(request(["largeBlob": ["support": "required"]], rk: true))
    // The last one is right but for the credential that it has to name.
    #expect(try key.getStatus(get(extensions)) == status)
  }

  /// A key with the extension largeBlob, which takes the place of largeBlobKey and of the array.
  private func directKey() throws -> TestKey {
    try TestKey(
      .with(options: ["largeBlobs": nil]) { info in
        info.extensions = ["largeBlob", "thirdPartyPayment", "pinComplexityPolicy"]
        info.maxSerializedLargeBlobArray = nil
      })
  }

  @Test("a large blob is kept with its credential and comes back outside of the signed data")
  func largeBlob() throws {
    let key = try directKey()
    let made = try key.make(request(["largeBlob": ["support": "preferred"]], rk: true))
    #expect(made.unsignedExtensionOutputs == ["largeBlob": ["supported": true]])
    #expect(made.authData.extensions == nil)
    let read = get(["largeBlob": ["read": true]])
    #expect(try key.get(read).unsignedExtensionOutputs == nil)
    let write = get(["largeBlob": ["write": .bytes([1, 2, 3]), "originalSize": 9]], allow: [made.id])
    let written = try key.get(write)
    #expect(written.unsignedExtensionOutputs == ["largeBlob": ["written": true]])
    #expect(written.authData.extensions == nil)
    #expect(try written.verifies(with: made))
    try key.powerCycle()
    #expect(
      try key.get(read).unsignedExtensionOutputs == ["largeBlob": ["blob": .bytes([1, 2, 3]), "originalSize": 9]])
    #expect(try key.get(get(["largeBlob": ["read": false]])).unsignedExtensionOutputs == nil)
    // Another credential of the same account takes its place and starts without.
    _ = try key.make(request(["largeBlob": ["support": "preferred"]], rk: true))
    #expect(try key.get(read).unsignedExtensionOutputs == nil)
  }

  @Test("a large blob that has no room is not written, and the one before stays")
  func noRoom() throws {
    let key = try directKey()
    let resident = try key.make(request([:], rk: true)).id
    func write(_ size: Int, _ id: [UInt8]) throws -> CBORMap? {
      let blob = [UInt8](repeating: 4, count: size)
      return try key.get(
        get(["largeBlob": ["write": .bytes(blob), "originalSize": .int(size)]], allow: [id])
      ).unsignedExtensionOutputs
    }
    #expect(try write(2048, resident) == ["largeBlob": ["written": true]])
    #expect(try write(2049, resident) == ["largeBlob": ["written": false]])
    let kept = try key.get(get(["largeBlob": ["read": true]])).unsignedExtensionOutputs?["largeBlob"]
    #expect(kept?.mapValue?["originalSize"] == 2048)
    let sealed = try key.make(request(["largeBlob": ["support": "preferred"]]))
    #expect(sealed.unsignedExtensionOutputs == nil)
    #expect(try write(1, sealed.id) == ["largeBlob": ["written": false]])
  }

  private static let inputs: [CBORValue] = [
    true, 7, -7, .bytes([1, 2]), "text", .null, [1, [2]], ["a": ["b": .bytes([3])]],
  ]

  @Test("an echo gives back what it is given, where it is told to", arguments: EchoExtension.Place.allCases, inputs)
  func echo(_ place: EchoExtension.Place, _ input: CBORValue) throws {
    var configuration = VirtualKeyConfiguration()
    configuration.echoExtensions = [EchoExtension("example.echo", place), EchoExtension("other")]
    let key = try TestKey(configuration)
    #expect(try key.info().extensions?.suffix(2) == ["example.echo", "other"])
    let expected: CBORMap = ["example.echo": input]
    let made = try key.make(request(["example.echo": input]))
    let got = try key.get(get(["example.echo": input], allow: [made.id]))
    for (signed, unsigned) in [
      (made.authData.extensions, made.unsignedExtensionOutputs),
      (got.authData.extensions, got.unsignedExtensionOutputs),
    ] {
      #expect(signed == (place == .signed ? expected : nil))
      #expect(unsigned == (place == .unsigned ? expected : nil))
    }
    #expect(try got.verifies(with: made))
    #expect(try key.get(get([:], allow: [made.id])).authData.extensions == nil)
  }
}
