import BridgeTestSupport
import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import RawDeflate
import WebAuthnClient

@testable import CTAP2

extension FuzzTarget {
  /// Large blobs, and the extensions that are only passed on.
  static let largeBlobs = [
    FuzzTarget("deflate", deflate), FuzzTarget("large-blob-array", array), FuzzTarget("json-passage", passage),
  ]

  private static func deflate(_ bytes: [UInt8]) {
    let limit = 10_000
    if let data = try? Deflate.expand(bytes, limit: limit) {
      mustHold(data.count <= limit, "\(data.count) bytes came out")
      mustHold((try? Deflate.expand(Deflate.compress(data), limit: limit)) == data, "compressed again, it differs")
    }
  }

  /// An array whose hash is always right, so that what is behind the hash is reached; edited, it keeps what it had.
  private static func array(_ bytes: [UInt8]) {
    guard let cipher = try? LargeBlobCipher(key: SecretBytes([UInt8](repeating: 7, count: 32))),
      let found = try? LargeBlobArray(serialised: bytes + Digest.sha256(bytes).prefix(16)), !found.wasDamaged
    else { return }
    for place in 0..<found.count {
      guard let entry = found[place] else { continue }
      mustHold(cipher.open(entry) == nil, "a key that nobody had opens an entry")
      _ = try? CompressedLargeBlob(bytes: entry.ciphertext, originalSize: entry.origSize).expanded()
    }
    guard let entry = try? cipher.seal([1, 2, 3], random: SeededRandom(seed: 3)) else { return }
    var edited = found
    edited.set(entry, under: cipher)
    mustHold(edited.places(under: cipher) == [found.count], "it is not at the end")
    edited.remove([found.count])
    mustHold(edited.serialised == found.serialised, "what was there before is changed")
  }

  private static func passage(_ bytes: [UInt8]) {
    if let json = try? JSONDocument(parsing: bytes).root, let value = try? JSONPassage.cbor(json) {
      show(value)
      mustHold(
        value.hasFloat || (try? CBORDecoder.decode(value.encoded(), mode: .strict)) == value, "it is not canonical")
    }
    if let value = try? CBORDecoder.decode(bytes) { show(value) }
  }

  private static func show(_ value: CBORValue) {
    let text = JSONPassage.json(value).serialized(pretty: false)
    mustHold((try? JSONDocument(parsing: text)) != nil, "\(String(decoding: text, as: UTF8.self)) is no JSON")
  }
}
