import CBOR
import CTAPMessages

/// What the extension largeBlob asks of getAssertion: to read the blob that the key keeps, or to write it (CTAP 2.3 §12.4).
enum LargeBlobInput {
  case read
  case write(StoredLargeBlob)

  /// Reads the input; nil where it asks for nothing.
  ///
  /// No other combination of members is an input, and only one credential can be named for writing.
  init?(_ value: CBORValue, allowList: [CredentialDescriptor]) throws(Refusal) {
    guard let input = value.mapValue else { throw Refusal(.cborUnexpectedType) }
    switch (input["read"], input["write"], input["originalSize"]) {
    case (let read?, nil, nil):
      guard try read.flag() else { return nil }
      self = .read
    case (nil, let bytes?, let size?):
      guard let bytes = bytes.bytesValue, case .unsigned(let size) = size else { throw Refusal(.cborUnexpectedType) }
      guard allowList.count == 1, size <= UInt64(Int64.max) else { throw Refusal(.invalidOption) }
      self = .write(StoredLargeBlob(bytes: bytes, originalSize: size))
    default: throw Refusal(.invalidOption)
    }
  }

  /// The output for a credential, and what is to be kept from now on.
  func output(_ credential: StoredCredential) -> (output: CBORValue?, blob: StoredLargeBlob?) {
    switch self {
    case .read:
      let output = credential.largeBlob.map { blob -> CBORValue in
        ["blob": .bytes(blob.bytes), "originalSize": .unsigned(blob.originalSize)]
      }
      return (output, nil)
    case .write(let blob):
      let fits = credential.isResident && blob.bytes.count <= StoredLargeBlob.capacity
      return (["written": .bool(fits)], fits ? blob : nil)
    }
  }
}
