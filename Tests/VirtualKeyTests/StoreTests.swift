import CBOR
import CTAPMessages
import FIDOCrypto
import Foundation
import Testing

@testable import VirtualKey

/// A folder of its own for a test, removed with it.
final class TestFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "virtual-key-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { path + "/" + name }

  func write(_ bytes: [UInt8], _ name: String, mode: Int = 0o600) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self(name))
  }

  func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: self(name)))) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

@Suite("stores")
struct StoreTests {
  /// A state with something in every member.
  private static let full: VirtualKeyState = {
    var state = VirtualKeyState(masterSecret: [UInt8](repeating: 7, count: 32))
    state.signatureCounter = .max
    state.pin = StoredPIN(hash: [UInt8](repeating: 1, count: 16), length: 4)
    state.pinRetries = 3
    state.uvRetries = 2
    state.minimumPINLength = 6
    state.minimumPINLengthRPIDs = ["example.org"]
    state.mustChangePIN = true
    state.alwaysUV = true
    state.enterpriseAttestation = false
    let key = CredentialKey(algorithm: -7, bytes: [1, 2, 3])
    state.credentials = [
      StoredCredential(
        id: [1], rpID: "ssh:", rpName: "SSH", userID: [2], userName: "n", userDisplayName: "d", key: key, protection: 3,
        secret: [UInt8](repeating: 3, count: 32), blob: [4], largeBlobKey: [5], isResident: true),
      StoredCredential(
        id: [], rpID: "", application: [UInt8](repeating: 8, count: 32), userID: [], key: key, protection: 1,
        secret: [UInt8](repeating: 3, count: 32), largeBlob: StoredLargeBlob(bytes: [9], originalSize: 10),
        isForPayment: true, isResident: false),
    ]
    state.largeBlobArray = LargeBlobArray.empty
    state.attestation = AttestationIdentity(
      aaguid: [UInt8](repeating: 9, count: 16), key: key, certificate: [6], authority: [7])
    return state
  }()

  @Test("a state survives its bytes")
  func roundTrip() throws {
    #expect(try StateFile.decode(StateFile.encode(Self.full)) == Self.full)
    let bare = VirtualKeyState(masterSecret: [UInt8](repeating: 0, count: 32))
    #expect(try StateFile.decode(StateFile.encode(bare)) == bare)
  }

  @Test("a file that has one bit flipped anywhere is refused")
  func flips() {
    let bytes = StateFile.encode(Self.full)
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 1 << UInt8(index % 8)
      #expect(throws: StateFile.Problem.self, "byte \(index)") { try StateFile.decode(flipped) }
    }
    for count in bytes.indices {
      #expect(throws: StateFile.Problem.self) { try StateFile.decode(Array(bytes.prefix(count))) }
    }
  }

  @Test(
    "a state whose member is not as it should be is refused by the member's number",
    arguments: [
      (1, .bytes([1]), "state.1"), (2, -1, "state.2"), (3, 1, "state.pin"), (3, [1: .bytes([1]), 2: 1], "state.pin.1"),
      (4, 9, "state.4"), (5, -1, "state.5"), (6, "6", "state.6"), (7, 1, "state.7"), (7, [1], "state.7"),
      (8, 1, "state.8"), (9, 1, "state.9"), (10, 1, "state.10"), (11, [1], "credential"),
      (11, [[1: .bytes([]), 2: 3]], "credential.2"), (12, [:], "state.attestation.1"), (20, 1, "state.20"),
      (1, nil, "state.1"),
    ] as [(Int, CBORValue?, String)])
  func members(_ number: Int, _ value: CBORValue?, _ name: String) throws {
    var map = try #require(Self.full.cbor().mapValue)
    map[number] = value
    #expect(throws: StateFormatError(member: name)) { try VirtualKeyState(cbor: .map(map)) }
    let body = CBORValue.map(map).encoded()
    let file: CBORValue = [
      "format": "CTAPBridge virtual key", "version": 1, "state": .bytes(body), "sha256": .bytes(Digest.sha256(body)),
    ]
    #expect(throws: StateFile.Problem.corrupt("\(name) is not as it should be")) {
      try StateFile.decode(file.encoded())
    }
  }

  @Test("a file keeps the key between lives, readable by its owner alone")
  func file() throws {
    let folder = try TestFolder()
    let first = try TestKey(.with(pin: "1234"), store: FileStore(path: folder("key")))
    let made = try first.make(.sample())
    let mode = try FileManager.default.attributesOfItem(atPath: folder("key"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(folder.names == ["key"])
    let second = try TestKey(store: FileStore(path: folder("key")))
    #expect(try second.info().options?[.clientPin] == true)
    #expect(try second.get(.sample(allow: [made.id])).verifies(with: made))
  }

  @Test("an absent and an empty file are a new key, and nothing is written before there is something to keep")
  func fresh() throws {
    let folder = try TestFolder()
    _ = try TestKey(store: FileStore(path: folder("key"))).info()
    #expect(folder.names == [])
    try folder.write([], "key")
    #expect(try FileStore(path: folder("key")).load() == nil)
  }

  @Test("a file that others may read or write is refused and left alone", arguments: [0o640, 0o604, 0o620, 0o666])
  func modes(_ mode: Int) throws {
    let folder = try TestFolder()
    let bytes = StateFile.encode(Self.full)
    try folder.write(bytes, "key", mode: mode)
    let store = FileStore(path: folder("key"))
    #expect(throws: VirtualKeyStoreError.openToOthers(path: store.path, mode: UInt32(mode))) { try store.load() }
    #expect(throws: VirtualKeyStoreError.self) { try VirtualKeyPort(store: store) }
    #expect(try folder.read("key") == bytes)
  }

  @Test("somebody else's file is refused", .enabled(if: geteuid() == 0, "only root can give a file away"))
  func owner() throws {
    let folder = try TestFolder()
    try folder.write(StateFile.encode(Self.full), "key")
    chown(folder("key"), 12345, 12345)
    let store = FileStore(path: folder("key"))
    #expect(throws: VirtualKeyStoreError.foreignOwner(path: store.path, user: 12345)) { try store.load() }
  }

  @Test("a damaged, a foreign and a later file are refused in words and left alone")
  func damaged() throws {
    let folder = try TestFolder()
    var bytes = StateFile.encode(Self.full)
    bytes[bytes.count / 2] ^= 1
    let later: CBORValue = ["format": "CTAPBridge virtual key", "version": 2]
    for (content, words) in [
      (bytes, "damaged"), (Array("hello".utf8), "not a virtual key's file"), ([0xa0], "does not say that it is one"),
      (later.encoded(), "later version of this program (form 2)"),
    ] {
      try folder.write(content, "key")
      let error = #expect(throws: VirtualKeyStoreError.self) { try FileStore(path: folder("key")).load() }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains(folder("key")) == true)
      #expect(try folder.read("key") == content)
    }
  }

  @Test("what is no plain file is refused")
  func notAFile() throws {
    let folder = try TestFolder()
    let directory = FileStore(path: folder.path)
    #expect(throws: VirtualKeyStoreError.notAFile(path: directory.path)) { try directory.load() }
    mkfifo(folder("pipe"), 0o600)
    let pipe = FileStore(path: folder("pipe"))
    #expect(throws: VirtualKeyStoreError.notAFile(path: pipe.path)) { try pipe.load() }
    #expect(pipe.path == folder("pipe"))
    let error = #expect(throws: VirtualKeyStoreError.self) {
      try FileStore(path: folder("no/such/folder")).save(Self.full)
    }
    #expect(error?.description.contains("No such file or directory") == true)
  }

  @Test("a link is followed, so that a save replaces the file and not the link")
  func link() throws {
    let folder = try TestFolder()
    try folder.write(StateFile.encode(Self.full), "real")
    try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("real"))
    let store = FileStore(path: folder("link"))
    var state = try #require(try store.load())
    state.signatureCounter = 5
    try store.save(state)
    #expect(try FileStore(path: folder("real")).load()?.signatureCounter == 5)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("link")) == folder("real"))
  }

  @Test("one process at a time holds a file")
  func lock() throws {
    let folder = try TestFolder()
    let one = FileStore(path: folder("key"))
    let other = FileStore(path: folder("key"))
    #expect(try one.acquire())
    #expect(try one.acquire())
    #expect(try !other.acquire())
    one.release()
    #expect(try other.acquire())
    #expect(try !one.acquire())
  }

  @Test("killed after any system call, the file has the old state or the new one")
  func kills() throws {
    let folder = try TestFolder()
    var old = Self.full
    // Several writes of 4096 bytes each.
    old.credentials = (0..<200).map { _ in Self.full.credentials[0] }
    var new = old
    // As long in bytes as the old one, so that the steps are the same.
    new.signatureCounter -= 1
    let steps = Recorded()
    try FileStore(path: folder("key")) { steps.note($0) }.save(old)
    #expect(steps.all.count > 8)
    #expect(steps.all.last == .directorySynced)
    for step in steps.all {
      try FileStore(path: folder("key")).save(old)
      let killed = FileStore(path: folder("key")) { $0 != step }
      #expect(throws: VirtualKeyStoreError.stopped) { try killed.save(new) }
      let expected = step == .renamed || step == .directorySynced ? new : old
      #expect(try FileStore(path: folder("key")).load() == expected, "\(step)")
    }
    // Whatever a kill left behind does not outlive the next save.
    try FileStore(path: folder("key")).save(new)
    #expect(folder.names == ["key"])
  }

  @Test("a save that fails half-way leaves the old state and no rubbish")
  func failing() throws {
    let folder = try TestFolder()
    try FileStore(path: folder("key")).save(Self.full)
    // A directory in the place of the temporary file cannot be opened for writing.
    try FileManager.default.createDirectory(atPath: folder("key.new"), withIntermediateDirectories: false)
    #expect(throws: VirtualKeyStoreError.self) {
      try FileStore(path: folder("key")).save(VirtualKeyState(masterSecret: [UInt8](repeating: 0, count: 32)))
    }
    #expect(try FileStore(path: folder("key")).load() == Self.full)
  }

  @Test("every error is one sentence for a person")
  func words() {
    let errors: [VirtualKeyStoreError] = [
      .openToOthers(path: "/k", mode: 0o644), .foreignOwner(path: "/k", user: 1), .notAFile(path: "/k"),
      .corrupt(path: "/k", reason: "r"), .newer(path: "/k", version: 2),
      .system(operation: "open", path: "/k", code: 13, message: "Permission denied"),
    ]
    for error in errors {
      #expect(error.description.hasPrefix("/k") && error.description.hasSuffix("."))
    }
    #expect(errors[0].description.contains("mode 644"))
    #expect(VirtualKeyStoreError.stopped.description == "The store was stopped in the middle.")
  }
}
