import BridgeTestSupport
import CBOR
import CTAPMessages
import Octets
import Testing
import VirtualKey
import WebAuthnClient

/// largeBlob, from a request to its results.
@Suite("largeBlob in ceremonies")
struct LargeBlobCeremonyTests {
  private static let data = SeededRandom(seed: 30).bytes(900)

  private func write(_ data: [UInt8]) -> String { #"{"largeBlob":{"write":"\#(Base64URL.encode(data))"}}"# }

  private let read = #"{"largeBlob":{"read":true}}"#

  private func blob(_ data: [UInt8]) -> String { #"{"largeBlob":{"blob":"\#(Base64URL.encode(data))"}}"# }

  private func account(_ name: String, _ id: UInt8) -> String {
    request(account: name, id: [id], extensions: #"{"largeBlob":{"support":"preferred"}}"#)
  }

  @Test("is written and read again, and those of other credentials stay", arguments: BlobKeeping.allCases)
  func roundTrip(_ keeping: BlobKeeping) async throws {
    let (desk, key, wire) = try Desk.watched(keeping.key, pins: [String](repeating: "1234", count: 20))
    var accounts: [RegistrationResponse] = []
    for (index, name) in ["alice", "bob", "carol"].enumerated() {
      let made = try await desk.register(account(name, UInt8(index)))
      #expect(try made.results == #"{"largeBlob":{"supported":true}}"#)
      accounts.append(made)
    }
    #expect(
      try await desk.authenticate(signIn([accounts[0].credentialID], extensions: read)).results == #"{"largeBlob":{}}"#)
    for (index, made) in accounts.enumerated() {
      let response = try await desk.authenticate(
        signIn([made.credentialID], extensions: write([UInt8](repeating: UInt8(index), count: 50))))
      #expect(try response.results == #"{"largeBlob":{"written":true}}"#)
      #expect(try response.verifies(with: made))
    }
    wire.clear()
    key.clearLog()
    let pins = desk.person.heard.count { $0 == "PIN" }
    let response = try await desk.authenticate(signIn([accounts[1].credentialID], extensions: write(Self.data)))
    #expect(try response.results == #"{"largeBlob":{"written":true}}"#)
    // One PIN, and one token for both: what is left of it after the assertion permits to write alone.
    #expect(desk.person.heard.count { $0 == "PIN" } - pins == (keeping.hasPIN ? 1 : 0))
    let permissions: PINUVAuthPermissions = keeping.isDirect ? .getAssertion : [.getAssertion, .largeBlobWrite]
    #expect(wire.permissions == (keeping.hasPIN ? [permissions] : []))
    #expect(key.commands.contains(.largeBlobs) == !keeping.isDirect)
    for (index, made) in accounts.enumerated() {
      wire.clear()
      let again = try await desk.authenticate(signIn([made.credentialID], extensions: read))
      #expect(try again.results == blob(index == 1 ? Self.data : [UInt8](repeating: UInt8(index), count: 50)))
      // Reading is for everyone.
      #expect(wire.permissions.isEmpty)
    }
  }

  @Test("of several accounts the chosen one's is read", arguments: [BlobKeeping.array, .direct])
  func discoverable(_ keeping: BlobKeeping) async throws {
    let (desk, _, _) = try Desk.watched(keeping.key)
    for (index, name) in ["alice", "bob"].enumerated() {
      let made = try await desk.register(account(name, UInt8(index)))
      _ = try await desk.authenticate(signIn([made.credentialID], extensions: write(Array(name.utf8))))
    }
    for (index, name) in ["alice", "bob"].enumerated() {
      let person = Person(account: { request in request.accounts.first { $0.userHandle == [UInt8(index)] } })
      let response = try await SecurityKeyClient(
        keySource: desk.source, interaction: person, clock: desk.clock, random: SeededRandom(seed: 5)
      ).authenticate(optionsJSON: Array(signIn(extensions: read).utf8), origin: try Origin("https://example.org"))
      #expect(try response.results == blob(Array(name.utf8)))
    }
  }

  @Test(
    "at registration: what is sent and said, by what the request and the key want", arguments: BlobKeeping.allCases,
    ["discouraged", "preferred", "required"])
  func registration(_ keeping: BlobKeeping, _ residentKey: String) async throws {
    for support in ["", #""support":"preferred""#, #""support":"required""#, #""support":"whenever""#] {
      let (desk, _, wire) = try Desk.watched(keeping.key, pins: ["1234", "1234"])
      let isRequired = support.contains("required")
      let response = try await desk.register(
        request(residentKey: residentKey, extensions: #"{"largeBlob":{\#(support)},"credProps":true}"#))
      let isSupported = isRequired || residentKey != "discouraged"
      #expect(
        try response.results == #"{"credProps":{"rk":\#(isSupported)},"largeBlob":{"supported":\#(isSupported)}}"#)
      let sent = try wire.extensions("makeCredential")
      if !isSupported {
        #expect(sent == nil)
      } else if keeping.isDirect {
        #expect(sent == ["largeBlob": ["support": isRequired ? "required" : "preferred"]])
      } else {
        #expect(sent == ["largeBlobKey": true])
      }
    }
  }

  @Test(
    "a key without large blobs does not do where they are required, and is asked for nothing where they are not",
    arguments: [["credProtect"], ["largeBlobKey"]])
  func unsupported(_ extensions: [String]) async throws {
    let (desk, key, wire) = try Desk.watched(
      .with { info in
        info.extensions = extensions
        info.options?["largeBlobs"] = nil
      })
    let required = try await desk.failure(request(extensions: #"{"largeBlob":{"support":"required"}}"#))
    #expect(required.kind == .noSuitableKey && required.reason.contains("it keeps no large blobs"))
    #expect(key.credentials.isEmpty)
    let made = try await desk.register(account("alice", 1))
    #expect(try made.results == #"{"largeBlob":{"supported":false}}"#)
    #expect(try wire.extensions("makeCredential") == nil)
    for (json, result) in [(read, "{}"), (write([1]), #"{"written":false}"#)] {
      let response = try await desk.authenticate(signIn([made.credentialID], extensions: json))
      #expect(try response.results == #"{"largeBlob":\#(result)}"#)
      #expect(try wire.extensions("getAssertion") == nil)
    }
    #expect(!key.commands.contains(.largeBlobs))
  }

  @Test("a credential that was made without a large-blob key has no blob, and the array is not touched")
  func credentialWithout() async throws {
    let (desk, key, _) = try Desk.watched()
    let made = try await desk.register(request(account: "alice", id: [1]))
    key.clearLog()
    let reading = try await desk.authenticate(signIn([made.credentialID], extensions: read))
    let writing = try await desk.authenticate(signIn([made.credentialID], extensions: write([1])))
    #expect(try reading.results == #"{"largeBlob":{}}"#)
    #expect(try writing.results == #"{"largeBlob":{"written":false}}"#)
    #expect(!key.commands.contains(.largeBlobs))
  }

  @Test("data that the key has no room for is not written, which is said, and the sign-in goes on")
  func full() async throws {
    let (desk, key, _) = try Desk.watched(.with { $0.maxSerializedLargeBlobArray = 1024 })
    let made = try await desk.register(account("alice", 1))
    _ = try await desk.authenticate(signIn([made.credentialID], extensions: write([1, 2, 3])))
    key.clearLog()
    let large = SeededRandom(seed: 2).bytes(1100)
    let response = try await desk.authenticate(signIn([made.credentialID], extensions: write(large)))
    #expect(try response.results == #"{"largeBlob":{"written":false}}"#)
    #expect(desk.person.heard.contains { $0.contains("was not written") && $0.contains("room for 1024") })
    let reading = try await desk.authenticate(signIn([made.credentialID], extensions: read))
    #expect(try reading.results == blob([1, 2, 3]))
    // What shrinks is measured when it has shrunk.
    let shrinking = [UInt8](repeating: 7, count: 100_000)
    let small = try await desk.authenticate(signIn([made.credentialID], extensions: write(shrinking)))
    #expect(try small.results == #"{"largeBlob":{"written":true}}"#)
    #expect(try await desk.authenticate(signIn([made.credentialID], extensions: read)).results == blob(shrinking))
  }

  @Test("data that nobody could read again refuses the request")
  func huge() async throws {
    let (desk, _, _) = try Desk.watched()
    let made = try await desk.register(account("alice", 1))
    let data = [UInt8](repeating: 0, count: (1 << 20) + 1)
    let failure = try await desk.signInFailure(signIn([made.credentialID], extensions: write(data)))
    #expect(failure.kind == .badRequest && failure.reason.contains("1048576"))
  }

  @Test("goes in as many parts as the key's messages need", arguments: [1024, 1200, 7609])
  func fragments(_ messageSize: Int) async throws {
    let (desk, key, _) = try Desk.watched(
      .with(pin: "1234") { $0.maxMsgSize = messageSize }, pins: ["1234", "1234", "1234"])
    let made = try await desk.register(account("alice", 1))
    let data = SeededRandom(seed: 8).bytes(3000)
    key.clearLog()
    _ = try await desk.authenticate(signIn([made.credentialID], extensions: write(data)))
    #expect(try await desk.authenticate(signIn([made.credentialID], extensions: read)).results == blob(data))
    #expect(key.log.allSatisfy { if case .command(_, _, let size) = $0.event { size <= messageSize } else { true } })
  }
}
