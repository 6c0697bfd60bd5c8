import CTAPHID
import CTAPMessages
import FIDOCrypto

// authenticatorLargeBlobs (CTAP 2.1 §6.10.2): the array is read and written in parts, and what is written counts only
// when all of it is there and its last 16 bytes are the hash of the others.
extension Authenticator {
  func largeBlobs(_ request: LargeBlobsRequest) throws(Refusal) -> Outcome {
    switch (request.get, request.set) {
    case (let count?, nil): return try readLargeBlobs(count, request)
    case (nil, let part?): return try writeLargeBlobs(part, request)
    case (nil, nil), (_?, _?): throw Refusal(.invalidParameter)
    }
  }

  private func readLargeBlobs(_ count: Int, _ request: LargeBlobsRequest) throws(Refusal) -> Outcome {
    guard request.length == nil, request.pinUvAuthParam == nil, request.pinUvAuthProtocol == nil else {
      throw Refusal(.invalidParameter)
    }
    guard count <= profile.maxLargeBlobFragment else { throw Refusal(.invalidLength) }
    let array = state.largeBlobArray ?? LargeBlobArray.empty
    guard request.offset <= array.count else { throw Refusal(.invalidParameter) }
    return .message(LargeBlobsResponse(config: Array(array[request.offset...].prefix(count))))
  }

  private func writeLargeBlobs(_ part: [UInt8], _ request: LargeBlobsRequest) throws(Refusal) -> Outcome {
    guard part.count <= profile.maxLargeBlobFragment else { throw Refusal(.invalidLength) }
    if request.offset == 0 {
      guard let length = request.length else { throw Refusal(.invalidParameter) }
      guard length <= profile.largeBlobCapacity else { throw Refusal(.largeBlobStorageFull) }
      guard length > LargeBlobArray.hashSize else { throw Refusal(.invalidParameter) }
      largeBlobWrite = LargeBlobWrite(channel: channel, length: length)
    } else if request.length != nil {
      throw Refusal(.invalidParameter)
    }
    guard var write = largeBlobWrite, write.channel == channel, request.offset == write.bytes.count else {
      throw Refusal(.invalidSequence)
    }
    try checkLargeBlobWrite(part, request)
    guard part.count <= write.length - write.bytes.count else { throw Refusal(.invalidParameter) }
    write.bytes += part
    guard write.bytes.count == write.length else {
      largeBlobWrite = write
      return .success(nil)
    }
    largeBlobWrite = nil
    guard LargeBlobArray.isWhole(write.bytes) else { throw Refusal(.integrityFailure) }
    try commit { $0.largeBlobArray = write.bytes }
    log.add(.largeBlobsWritten(write.bytes))
    return .success(nil)
  }

  /// Demands a token with the permission where the key has some form of user verification.
  private func checkLargeBlobWrite(_ part: [UInt8], _ request: LargeBlobsRequest) throws(Refusal) {
    guard isProtected || alwaysUV else { return }
    guard let param = request.pinUvAuthParam else { throw Refusal(.puatRequired) }
    let version = try required(request.pinUvAuthProtocol)
    try requireProtocol(version)
    let message = request.authenticatedBytes(hashOfSet: Digest.sha256(part))
    guard token.verifies(param, of: message, version: version, now: now), token.permissions.contains(.largeBlobWrite)
    else { throw Refusal(.pinAuthInvalid) }
  }
}

/// The serialised large-blob array: an array in CBOR, and the first 16 bytes of its SHA-256.
enum LargeBlobArray {
  static let hashSize = 16
  /// The array of a new key, with nothing in it (CTAP 2.1 §6.10).
  static let empty = serialised([0x80])

  static func serialised(_ array: [UInt8]) -> [UInt8] { array + Digest.sha256(array).prefix(hashSize) }

  static func isWhole(_ bytes: [UInt8]) -> Bool { serialised(Array(bytes.dropLast(hashSize))) == bytes }
}

/// An array that is being written, lost with the power.
struct LargeBlobWrite {
  let channel: ChannelID
  /// How many bytes there will be.
  let length: Int
  /// Those that have come.
  var bytes: [UInt8] = []
}
