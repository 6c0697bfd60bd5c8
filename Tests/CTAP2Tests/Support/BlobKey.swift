import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets

@testable import CTAP2

/// A fake key with an array of large blobs, and what goes wrong with it.
final class BlobKey {
  /// What happens to one part of a write.
  enum Mishap: CaseIterable {
    /// The key takes it, and its answer is an ERROR frame.
    case answerLost
    /// The key never sees it, and an ERROR frame says so.
    case requestLost
    /// The key refuses it.
    case refused
  }

  let key = FakeKey(options: ["rk": true, "largeBlobs": true])
  /// The array as the key keeps it.
  var array: [UInt8] = LargeBlobArray().serialised
  /// What another read gives, from the first on; the array itself when they are used up.
  var otherReads: [[UInt8]] = []
  /// What happens to which part of the next write, counted from 0.
  var mishap: (part: Int, kind: Mishap)?
  /// Whether reads fail once a mishap was.
  var readsFailAfterwards = false
  /// Whether every write is answered with an ERROR frame and does nothing.
  var loses = false
  private(set) var requests: [LargeBlobsRequest] = []
  private var reading: [UInt8] = []
  private var writing: (bytes: [UInt8], length: Int)?
  private var parts = 0

  var writes: [LargeBlobsRequest] { requests.filter { $0.set != nil } }

  init(messageSize: Int = 1024, capacity: Int? = 2048) {
    key.info.maxMsgSize = messageSize
    key.info.maxSerializedLargeBlobArray = capacity
    key.answer = { [unowned self] request in
      guard request.command == .largeBlobs, let parameters = request.parameters else { return nil }
      return try react(LargeBlobsRequest(cbor: parameters))
    }
  }

  /// A credential's key.
  static func cipher(_ number: UInt8) throws -> LargeBlobCipher {
    try LargeBlobCipher(key: SecretBytes([UInt8](repeating: number, count: 32)))
  }

  /// An array of entries under keys 1, 2, 3 …, of a host that is none of ours.
  static func filled(_ blobs: [[UInt8]], and elements: [CBORValue] = []) throws -> [UInt8] {
    var entries: [CBORValue] = []
    for (index, blob) in blobs.enumerated() {
      entries.append(try cipher(UInt8(index + 1)).seal(blob, random: SeededRandom(seed: UInt64(index))).cbor())
    }
    let array = CBORValue.array(entries + elements).encoded()
    return array + Digest.sha256(array).prefix(16)
  }

  private func react(_ request: LargeBlobsRequest) throws -> DeviceTransport.Reaction {
    requests.append(request)
    if let count = request.get {
      if readsFailAfterwards, mishap == nil, parts > 0 { return .status(.other) }
      if request.offset == 0 { reading = otherReads.isEmpty ? array : otherReads.removeFirst() }
      guard request.offset <= reading.count else { return .status(.invalidParameter) }
      return .ok(LargeBlobsResponse(config: Array(reading[request.offset...].prefix(count))))
    }
    if let (part, kind) = mishap, part == parts {
      mishap = nil
      parts += 1
      if kind == .refused { return .status(.integrityFailure) }
      if kind == .answerLost { _ = try write(request) }
      return .refuse(.other)
    }
    parts += 1
    return loses ? .refuse(.other) : try write(request)
  }

  private func write(_ request: LargeBlobsRequest) throws -> DeviceTransport.Reaction {
    if request.offset == 0 { writing = ([], request.length ?? 0) }
    guard let part = request.set, let started = writing, request.offset == started.bytes.count else {
      return .status(.invalidSequence)
    }
    let bytes = started.bytes + part
    writing = (bytes, started.length)
    if bytes.count == started.length {
      guard LargeBlobArray.isWhole(bytes) else { return .status(.integrityFailure) }
      array = bytes
    }
    return .ok
  }
}
