import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing

@testable import CTAP2

@Suite("Large blobs")
struct LargeBlobTests {
  private static let noise = SeededRandom(seed: 21).bytes(700)

  @Test("the array of another host opens with its keys, and with no others")
  func otherHost() throws {
    let file = try Vectors.json("python-fido2-large-blobs")
    let array = try LargeBlobArray(serialised: file.hex("array"))
    #expect(!array.wasDamaged)
    let blobs = try #require(file["blobs"]?.elements)
    #expect(array.count == blobs.count)
    for (index, blob) in blobs.enumerated() {
      let cipher = try LargeBlobCipher(key: SecretBytes(try blob.hex("key")))
      #expect(array.places(under: cipher) == [index])
      #expect(try array.blob(under: cipher)?.expanded() == blob.hex("data"))
    }
    #expect(array.blob(under: try BlobKey.cipher(1)) == nil)
    #expect(try array.serialised == file.hex("array"))
  }

  @Test("the array of a new key is the one of the specification")
  func empty() throws {
    #expect(LargeBlobArray().serialised == bytes("8076be8b528d0075f7aae98d6fa57a6d3c"))
    let blobs = BlobKey()
    let array = try blobs.key.session().largeBlobs(blobs.key.wait())
    #expect(array.count == 0 && !array.wasDamaged)
  }

  @Test("is read in parts, with one that is short at the end", arguments: [65, 66, 80, 120, 1024, 7609])
  func parts(_ messageSize: Int) throws {
    let blobs = BlobKey(messageSize: messageSize)
    blobs.array = try BlobKey.filled([Self.noise, [1, 2, 3]])
    let session = try blobs.key.session()
    #expect(try session.largeBlobs(blobs.key.wait()).blob(under: BlobKey.cipher(1))?.expanded() == Self.noise)
    let size = min(messageSize, 7609) - 64
    #expect(blobs.requests.allSatisfy { $0.get == size && $0.pinUvAuthParam == nil && $0.length == nil })
    #expect(blobs.requests.count == blobs.array.count / size + 1)
  }

  @Test("replaces the data of one credential and keeps every other element", arguments: [100, 1024], 1...3)
  func replace(_ messageSize: Int, _ number: Int) throws {
    let blobs = BlobKey(messageSize: messageSize)
    // What no host of today writes, and what a host of tomorrow may.
    let odd: [CBORValue] = [
      "text", .map([1: .bytes([1]), 9: true]), .map([1: .bytes([2]), 2: .bytes([]), 3: 4, 5: 6]),
    ]
    blobs.array = try BlobKey.filled([[1], [2], [3]], and: odd)
    let before = try CBORDecoder.decode(Array(blobs.array.dropLast(16))).arrayValue
    let session = try blobs.key.session()
    let cipher = try BlobKey.cipher(UInt8(number))
    try session.setLargeBlob(Self.noise, under: cipher, nil, blobs.key.wait())
    let after = try CBORDecoder.decode(Array(blobs.array.dropLast(16))).arrayValue
    #expect(after?.count == before?.count)
    for index in 0..<6 { #expect((after?[index] == before?[index]) == (index != number - 1)) }
    #expect(try session.largeBlobs(blobs.key.wait()).blob(under: cipher)?.expanded() == Self.noise)
    #expect(blobs.writes.map(\.length) == [blobs.array.count] + [Int?](repeating: nil, count: blobs.writes.count - 1))
    #expect(try session.deleteLargeBlob(under: cipher, nil, blobs.key.wait()))
    #expect(try session.largeBlobs(blobs.key.wait()).count == 5)
    let writes = blobs.writes.count
    #expect(try !session.deleteLargeBlob(under: cipher, nil, blobs.key.wait()))
    #expect(blobs.writes.count == writes)
  }

  @Test("a new entry comes last, and a second one under the same key goes")
  func places() throws {
    let blobs = BlobKey()
    let doubled = try BlobKey.cipher(1).seal([9], random: SeededRandom(seed: 99)).cbor()
    blobs.array = try BlobKey.filled([[1], [2]], and: [doubled])
    let session = try blobs.key.session()
    try session.setLargeBlob([7], under: BlobKey.cipher(1), nil, blobs.key.wait())
    try session.setLargeBlob([8], under: BlobKey.cipher(9), nil, blobs.key.wait())
    let array = try session.largeBlobs(blobs.key.wait())
    #expect(try (0..<4).map { try array.places(under: BlobKey.cipher([1, 2, 9, 5][$0])) } == [[0], [1], [2], []])
  }

  @Test("each part is proved with the token", arguments: [PINUVAuthProtocol.one, .two])
  func proof(_ version: PINUVAuthProtocol) throws {
    let blobs = BlobKey(messageSize: 120)
    let token = try PINKey.token(version, permissions: .largeBlobWrite)
    try blobs.key.session().setLargeBlob(Self.noise, under: BlobKey.cipher(1), token, blobs.key.wait())
    #expect(blobs.writes.count > 3)
    for part in blobs.writes {
      let message = part.authenticatedBytes(hashOfSet: Digest.sha256(part.set ?? []))
      #expect(part.pinUvAuthParam == token.authenticate(message))
      #expect(part.pinUvAuthProtocol == version.rawValue)
    }
  }

  @Test("nonces differ from one write to the next")
  func nonces() throws {
    let cipher = try BlobKey.cipher(1)
    let random = SeededRandom(seed: 4)
    let nonces = try (0..<20).map { _ in try cipher.seal([1], random: random).nonce }
    #expect(Set(nonces).count == 20 && nonces.allSatisfy { $0.count == 12 })
  }

  // MARK: What keys say and what is not true

  @Test("an array whose hash is wrong counts as empty, and only when it reads the same twice")
  func damaged() throws {
    let blobs = BlobKey()
    let whole = try BlobKey.filled([[1], [2]])
    var broken = whole
    broken[5] ^= 1
    blobs.otherReads = [broken, Array(broken.dropLast(3)), Array(whole.dropLast())]
    blobs.array = whole
    let session = try blobs.key.session()
    #expect(try session.largeBlobs(blobs.key.wait()).count == 2)
    blobs.array = broken
    let array = try session.largeBlobs(blobs.key.wait())
    #expect(array.count == 0 && array.wasDamaged)
    #expect(try session.setLargeBlob([5], under: BlobKey.cipher(1), nil, blobs.key.wait()).wasDamaged)
    #expect(try session.largeBlobs(blobs.key.wait()).blob(under: BlobKey.cipher(1))?.expanded() == [5])
  }

  @Test(
    "what has the right hash and is no array is left alone",
    arguments: ["a0", "00", "81", "8101ff", "9fff"])
  func noArray(_ content: String) throws {
    let blobs = BlobKey()
    let content = bytes(content)
    blobs.array = content + Digest.sha256(content).prefix(16)
    let before = blobs.array
    #expect {
      try blobs.key.session().setLargeBlob([5], under: BlobKey.cipher(1), nil, blobs.key.wait())
    } throws: { error in
      guard case .largeBlobUnfit(let reason)? = error as? CTAP2Error else { return false }
      return reason.contains("left alone")
    }
    #expect(blobs.array == before && blobs.writes.isEmpty)
  }

  @Test("a key that never ends its array is given up")
  func endless() throws {
    let blobs = BlobKey(capacity: 3000)
    blobs.array = [UInt8](repeating: 1, count: 5000)
    #expect(throws: CTAP2Error.self) { try blobs.key.session().largeBlobs(blobs.key.wait()) }
    #expect(blobs.requests.count < 5)
  }

  @Test(
    "data of another size than is said, damaged or huge is not given out", arguments: [0, 4, 6, 1 << 20, UInt64.max])
  func sizes(_ size: UInt64) throws {
    let compressed = try CompressedLargeBlob(compressing: [1, 2, 3, 4, 5])
    #expect(try compressed.expanded() == [1, 2, 3, 4, 5])
    #expect(throws: CTAP2Error.self) {
      try CompressedLargeBlob(bytes: compressed.bytes, originalSize: size).expanded()
    }
    #expect(throws: CTAP2Error.self) { try CompressedLargeBlob(bytes: [0xff], originalSize: size).expanded() }
  }

  @Test("what cannot be is refused before the key hears of it")
  func refused() throws {
    let cipher = try BlobKey.cipher(1)
    let blobs = BlobKey(capacity: nil)
    #expect(throws: CTAP2Error.largeBlobsFull(size: 1061, limit: 1024)) {
      try blobs.key.session().setLargeBlob(
        SeededRandom(seed: 1).bytes(1000), under: cipher, nil, blobs.key.wait())
    }
    #expect(blobs.writes.isEmpty)
    #expect(throws: CTAP2Error.self) {
      try cipher.seal([UInt8](repeating: 0, count: CompressedLargeBlob.largestData + 1), random: SeededRandom(seed: 1))
    }
    #expect(throws: CTAP2Error.self) { try LargeBlobCipher(key: SecretBytes([1, 2, 3])) }
    blobs.key.info.options?["largeBlobs"] = nil
    #expect(throws: CTAP2Error.notOffered("room for large blobs")) {
      try blobs.key.session().largeBlobs(blobs.key.wait())
    }
  }

  @Test("elements that none of the keys opens are collected only by name")
  func collect() throws {
    let blobs = BlobKey()
    blobs.array = try BlobKey.filled([[1], [2], [3]], and: ["text"])
    let session = try blobs.key.session()
    let ciphers = try [1, 3].map { try BlobKey.cipher($0) }
    #expect(try session.collectLargeBlobs(keeping: ciphers, nil, blobs.key.wait()) == 2)
    let array = try session.largeBlobs(blobs.key.wait())
    #expect(array.count == 2)
    for cipher in ciphers { #expect(array.blob(under: cipher) != nil) }
    #expect(try session.collectLargeBlobs(keeping: ciphers, nil, blobs.key.wait()) == 0)
  }

  // MARK: Lost answers

  @Test(
    "after a mishap at any part the array is the old or the new one, and the error tells which", arguments: 0..<8,
    BlobKey.Mishap.allCases)
  func mishaps(_ part: Int, _ mishap: BlobKey.Mishap) throws {
    let blobs = BlobKey(messageSize: 164)
    blobs.array = try BlobKey.filled([[1], [2]])
    let before = blobs.array
    blobs.mishap = (part, mishap)
    let session = try blobs.key.session()
    let cipher = try BlobKey.cipher(3)
    var failure: CTAP2Error?
    do throws(CTAP2Error) {
      try session.setLargeBlob(Self.noise, under: cipher, nil, blobs.key.wait())
    } catch {
      failure = error
    }
    #expect(blobs.mishap == nil, "the write has at least 8 parts")
    if let failure {
      #expect(mishap == .refused && blobs.array == before)
      #expect(failure == .status(.integrityFailure, .largeBlobs))
    } else {
      // Where the key still has the old array, it gets the new one from the start.
      #expect(try session.largeBlobs(blobs.key.wait()).blob(under: cipher)?.expanded() == Self.noise)
      #expect(blobs.writes.count { $0.offset == 0 } == (blobs.writes.count == part + 1 ? 1 : 2))
    }
    let array = try session.largeBlobs(blobs.key.wait())
    for number: UInt8 in [1, 2] { #expect(array.places(under: try BlobKey.cipher(number)) == [Int(number) - 1]) }
  }

  @Test("a key that refuses by ERROR frames again and again is given up, with its own word")
  func stubborn() throws {
    let blobs = BlobKey()
    let before = blobs.array
    blobs.loses = true
    #expect(throws: CTAP2Error.hid(.errorFrame(.other, mayHaveBeenTaken: true))) {
      try blobs.key.session().setLargeBlob([1], under: BlobKey.cipher(3), nil, blobs.key.wait())
    }
    #expect(blobs.array == before && blobs.writes.count == 4)
  }

  @Test("where the key cannot be asked afterwards, the change is uncertain", arguments: [0, 3])
  func uncertain(_ part: Int) throws {
    let blobs = BlobKey(messageSize: 164)
    blobs.mishap = (part, .answerLost)
    blobs.readsFailAfterwards = true
    let failure = #expect(throws: CTAP2Error.self) {
      try blobs.key.session().setLargeBlob(Self.noise, under: BlobKey.cipher(3), nil, blobs.key.wait())
    }
    guard case .changeUncertain(.largeBlobs, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}
