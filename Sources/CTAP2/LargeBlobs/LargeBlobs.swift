internal import CBOR
public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto

extension KeySession {
  /// Reads the key's array of large blobs, for which no token is needed (CTAP 2.3 §6.10.2).
  ///
  /// An array that fails its own check is read once more before that is believed, because another program may have
  /// written it between two parts.
  ///
  /// - Throws: `notOffered` for a key that keeps none.
  public func largeBlobs(_ wait: Wait) throws(CTAP2Error) -> LargeBlobArray {
    try LargeBlobArray(serialised: try settledLargeBlobs(wait))
  }

  /// Replaces the data of one credential and leaves the entries of all others as they are (CTAP 2.3 §6.10.2).
  ///
  /// No part is sent a second time on a guess: only where the key, asked, still has the array as it was.
  ///
  /// - Parameters:
  ///   - data: what is to be kept, uncompressed.
  ///   - cipher: the credential's key.
  ///   - token: a token with permission `largeBlobWrite`; nil on a key without any verification set up.
  ///   - wait: how long it may take.
  /// - Returns: the array as it was found.
  /// - Throws: `largeBlobsFull` before anything is written; `changeUncertain` where it may have been written and the key
  ///   cannot be asked. After any other error the array is as it was.
  @discardableResult
  public func setLargeBlob(
    _ data: [UInt8], under cipher: LargeBlobCipher, _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> LargeBlobArray {
    let entry = try cipher.seal(data, random: random)
    return try editLargeBlobs(token, wait) { array in
      array.set(entry, under: cipher)
      return true
    }
  }

  /// Takes the data of one credential away.
  ///
  /// - Returns: whether there was any; where there was none, nothing is written.
  /// - Throws: As `setLargeBlob`.
  public func deleteLargeBlob(
    under cipher: LargeBlobCipher, _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> Bool {
    var wasThere = false
    try editLargeBlobs(token, wait) { array in
      let places = array.places(under: cipher)
      array.remove(places)
      wasThere = !places.isEmpty
      return wasThere
    }
    return wasThere
  }

  /// Takes away every element that none of the keys opens: what deleted credentials have left behind.
  ///
  /// - Parameters:
  ///   - ciphers: the keys of all credentials that are to keep their data; whoever leaves one out deletes its data.
  ///   - token: a token with permission `largeBlobWrite`; nil on a key without any verification set up.
  ///   - wait: how long it may take.
  /// - Returns: how many were taken away.
  /// - Throws: As `setLargeBlob`.
  public func collectLargeBlobs(
    keeping ciphers: [LargeBlobCipher], _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> Int {
    var count = 0
    try editLargeBlobs(token, wait) { array in
      let kept = Set(ciphers.flatMap { array.places(under: $0) })
      let orphans = (0..<array.count).filter { !kept.contains($0) }
      array.remove(orphans)
      count = orphans.count
      return count > 0
    }
    return count
  }

  /// Reads the array, has it edited, and writes it where the edit says so.
  @discardableResult
  private func editLargeBlobs(
    _ token: PINUVAuthToken?, _ wait: Wait, _ edit: (inout LargeBlobArray) -> Bool
  ) throws(CTAP2Error) -> LargeBlobArray {
    let found = try settledLargeBlobs(wait)
    let before = try LargeBlobArray(serialised: found)
    var array = before
    guard edit(&array) else { return before }
    let bytes = array.serialised
    let limit = try info(wait).largeBlobCapacity
    guard bytes.count <= limit else { throw .largeBlobsFull(size: bytes.count, limit: limit) }
    try writeLargeBlobs(bytes, inPlaceOf: found, token, wait)
    return before
  }

  // MARK: Reading

  private func settledLargeBlobs(_ wait: Wait) throws(CTAP2Error) -> [UInt8] {
    var bytes = try serialisedLargeBlobs(wait)
    for _ in 0..<Self.largeBlobRereads where !LargeBlobArray.isWhole(bytes) {
      let again = try serialisedLargeBlobs(wait)
      if again == bytes { break }
      bytes = again
    }
    return bytes
  }

  /// How often an array that fails its check is read again while it differs from one time to the next.
  private static let largeBlobRereads = 4

  private func serialisedLargeBlobs(_ wait: Wait) throws(CTAP2Error) -> [UInt8] {
    let info = try info(wait)
    guard info.isOn(.largeBlobs) else { throw .notOffered("room for large blobs") }
    let fragment = info.largeBlobFragment
    let longest = min(max(info.largeBlobCapacity, GetInfoResponse.smallestLargeBlobCapacity), LargeBlobArray.longest)
    var bytes: [UInt8] = []
    while true {
      let request = LargeBlobsRequest(get: fragment, offset: bytes.count)
      let part = try exchange(.largeBlobs, request.cbor(), repeatable: true, wait) { value throws(Unfit) -> [UInt8] in
        guard let part = try Unfit.read(LargeBlobsResponse.self, value).config else {
          throw Unfit("it has no part of the array")
        }
        guard part.count <= fragment else { throw Unfit("it has \(part.count) bytes, and \(fragment) were asked for") }
        return part
      }
      bytes += part
      guard bytes.count <= longest else {
        throw .misfit("its array of large blobs is longer than the \(longest) bytes that it has room for", .largeBlobs)
      }
      if part.count < fragment { return bytes }
    }
  }

  // MARK: Writing

  /// How often the array is written again where the key sent an ERROR frame and shows that it has the old one still.
  private static let largeBlobRewrites = 3

  /// Writes the array, and asks the key itself what became of it where an answer was lost.
  private func writeLargeBlobs(
    _ bytes: [UInt8], inPlaceOf found: [UInt8], _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) {
    var rewrites = Self.largeBlobRewrites
    while true {
      do throws(CTAP2Error) {
        return try writeParts(bytes, token, wait)
      } catch {
        guard case .changeUncertain(_, let cause) = error, let after = try? settledLargeBlobs(wait) else { throw error }
        if after == bytes { return }
        guard after == found else { throw error }
        guard case .hid(.errorFrame) = cause, rewrites > 0 else { throw cause }
        rewrites -= 1
      }
    }
  }

  /// Writes the array in parts; it counts for the key when the last one is there.
  private func writeParts(_ bytes: [UInt8], _ token: PINUVAuthToken?, _ wait: Wait) throws(CTAP2Error) {
    let fragment = try info(wait).largeBlobFragment
    for start in stride(from: 0, to: bytes.count, by: fragment) {
      let part = Array(bytes[start..<min(start + fragment, bytes.count)])
      var request = LargeBlobsRequest(set: part, offset: start, length: start == 0 ? bytes.count : nil)
      let message = request.authenticatedBytes(hashOfSet: Digest.sha256(part))
      request.pinUvAuthParam = token?.authenticate(message)
      request.pinUvAuthProtocol = token?.version.rawValue
      try change(.largeBlobs, .largeBlobs, request.cbor(), wait) { value throws(Unfit) in try Unfit.empty(value) }
    }
  }
}

extension GetInfoResponse {
  /// The least room that a key with large blobs has, in bytes (CTAP 2.3 §6.10).
  public static let smallestLargeBlobCapacity = 1024

  /// The room for the array of large blobs, in bytes, with its hash.
  public var largeBlobCapacity: Int { maxSerializedLargeBlobArray ?? Self.smallestLargeBlobCapacity }

  /// The most bytes of the array in one message (CTAP 2.3 §6.10.2): its size without 64 bytes for what is around them.
  var largeBlobFragment: Int { max(1, CredentialLimits(self).messageSize - 64) }
}
