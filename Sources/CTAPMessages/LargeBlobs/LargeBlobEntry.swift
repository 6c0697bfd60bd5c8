public import CBOR

/// One entry of the large-blob array: data that belongs to one credential, compressed and encrypted (CTAP 2.3 §6.10.3).
public struct LargeBlobEntry: Hashable, Sendable {
  /// The compressed data under AES-256-GCM, its 16-byte tag last.
  public var ciphertext: [UInt8]
  /// The nonce, 12 bytes.
  public var nonce: [UInt8]
  /// The size of the data before it was compressed, in bytes; encryption covers it too.
  public var origSize: UInt64
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates an entry.
  public init(ciphertext: [UInt8], nonce: [UInt8], origSize: UInt64, additional: CBORMap = CBORMap()) {
    self.ciphertext = ciphertext
    self.nonce = nonce
    self.origSize = origSize
    self.additional = additional
  }
}

extension LargeBlobEntry: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "large-blob entry"

  private enum Key {
    static let ciphertext = MemberKey(0x01, "ciphertext")
    static let nonce = MemberKey(0x02, "nonce")
    static let origSize = MemberKey(0x03, "origSize")
  }

  /// Reads an entry.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    ciphertext = try reader.required(Key.ciphertext, .bytes)
    nonce = try reader.required(Key.nonce, .bytes)
    origSize = try reader.required(Key.origSize, .unsigned)
    additional = reader.additional
  }

  /// The entry as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.ciphertext, .bytes(ciphertext))
    writer.set(Key.nonce, .bytes(nonce))
    writer.set(Key.origSize, .unsigned(origSize))
    return writer.value
  }
}
