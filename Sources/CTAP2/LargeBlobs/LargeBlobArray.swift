internal import CBOR
public import CTAPMessages
internal import FIDOCrypto

/// The large blobs of a key: one array for all of its credentials (CTAP 2.3 §6.10.3).
///
/// Whose an entry is shows only to who has its credential's key. Entries of others, and elements that are no entries at
/// all, keep their place and their members whatever is done to the array.
public struct LargeBlobArray: Sendable {
  /// The first bytes of SHA-256 that stand behind the array.
  static let hashSize = 16
  /// The most bytes that are read of any key.
  static let longest = 1 << 20

  private var elements: [CBORValue]

  /// Whether what the key has failed its own check, so that it counts as empty (CTAP 2.3 §6.10.2).
  public let wasDamaged: Bool

  /// The array of a key that has no large blobs.
  public init() {
    elements = []
    wasDamaged = false
  }

  /// Reads the serialised array: an array in CBOR, and the first 16 bytes of its SHA-256.
  ///
  /// - Throws: `largeBlobUnfit` where the hash is right and what it stands behind is no array: it may mean something to somebody,
  ///   so that it must not be written over.
  init(serialised bytes: [UInt8]) throws(CTAP2Error) {
    guard Self.isWhole(bytes) else {
      elements = []
      wasDamaged = true
      return
    }
    let value: CBORValue
    do throws(CBORError) {
      value = try CBORDecoder.decode(Array(bytes.dropLast(Self.hashSize)))
    } catch {
      throw .largeBlobUnfit("what the key keeps in its place cannot be read (\(error)), and is left alone")
    }
    guard let elements = value.arrayValue else {
      throw .largeBlobUnfit("what the key keeps in its place is no array, and is left alone")
    }
    self.elements = elements
    wasDamaged = false
  }

  /// Whether the last 16 bytes are the hash of the others.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    bytes.count > hashSize
      && Digest.sha256(Array(bytes.dropLast(hashSize))).prefix(hashSize).elementsEqual(bytes.suffix(hashSize))
  }

  /// The array as the key keeps it.
  var serialised: [UInt8] {
    let array = CBORValue.array(elements).encoded()
    return array + Digest.sha256(array).prefix(Self.hashSize)
  }

  /// How many elements there are, those that are no entries among them.
  public var count: Int { elements.count }

  /// The size of the array as the key keeps it, in bytes.
  public var size: Int { serialised.count }

  /// The entry in a place, or nil where the element is none.
  public subscript(index: Int) -> LargeBlobEntry? {
    guard elements.indices.contains(index) else { return nil }
    return try? LargeBlobEntry(cbor: elements[index])
  }

  /// The places of the entries under a credential's key; more than one only where a host was careless.
  public func places(under cipher: LargeBlobCipher) -> [Int] {
    elements.indices.filter { index in self[index].flatMap(cipher.open) != nil }
  }

  /// The compressed data under a credential's key: that of the first entry that it opens.
  public func blob(under cipher: LargeBlobCipher) -> CompressedLargeBlob? {
    for index in elements.indices {
      if let blob = self[index].flatMap(cipher.open) { return blob }
    }
    return nil
  }

  /// Puts an entry in the place of those under the same key, or at the end.
  mutating func set(_ entry: LargeBlobEntry, under cipher: LargeBlobCipher) {
    let places = places(under: cipher)
    guard let first = places.first else {
      elements.append(entry.cbor())
      return
    }
    elements[first] = entry.cbor()
    remove(places.dropFirst())
  }

  /// Takes elements out.
  mutating func remove(_ places: some Sequence<Int>) {
    for place in places.sorted(by: >) { elements.remove(at: place) }
  }
}
