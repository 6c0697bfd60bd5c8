public import CTAPMessages
internal import FIDOCrypto
public import Octets

/// A credential's large-blob key at work: it seals and opens the entries that belong to the credential (CTAP 2.3 §6.10.3).
///
/// AES-256-GCM over the compressed data; the associated data is `blob` and the original size in eight bytes, the least
/// significant first.
public struct LargeBlobCipher: Sendable {
  /// The size of a key, in bytes.
  public static let keySize = 32
  private static let nonceSize = 12

  private let key: SecretBytes

  /// Takes a key of 32 bytes.
  /// - Throws: `largeBlobUnfit` for one of another size.
  public init(key: SecretBytes) throws(CTAP2Error) {
    guard key.count == Self.keySize else {
      throw .largeBlobUnfit("its key has \(key.count) bytes in place of \(Self.keySize)")
    }
    self.key = key
  }

  /// Compresses data and encrypts it under a fresh nonce.
  public func seal(_ data: [UInt8], random: any RandomSource) throws(CTAP2Error) -> LargeBlobEntry {
    let compressed = try CompressedLargeBlob(compressing: data)
    // Nonces that come twice would lay the data of both open.
    let nonce = random.bytes(Self.nonceSize)
    do throws(CryptoError) {
      let sealed = try AESGCM.seal(
        compressed.bytes, key: key, nonce: nonce, additionalData: Self.associatedData(compressed.originalSize))
      return LargeBlobEntry(ciphertext: sealed, nonce: nonce, origSize: compressed.originalSize)
    } catch {
      throw .crypto(error)
    }
  }

  /// The compressed data of an entry, or nil where the entry is under another key.
  public func open(_ entry: LargeBlobEntry) -> CompressedLargeBlob? {
    let bytes = try? AESGCM.open(
      entry.ciphertext, key: key, nonce: entry.nonce, additionalData: Self.associatedData(entry.origSize))
    return bytes.map { CompressedLargeBlob(bytes: $0, originalSize: entry.origSize) }
  }

  private static func associatedData(_ size: UInt64) -> [UInt8] {
    var data = Array("blob".utf8)
    data.append(bigEndian: size.byteSwapped)
    return data
  }
}
