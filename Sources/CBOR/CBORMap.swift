/// A CBOR map: entries in the order in which they were read or added, each key once.
///
/// Equality ignores the order. Keys are found in constant time in large maps, so filling and comparing stays linear
/// whatever an input holds.
public struct CBORMap: Sendable {
  /// The entries in the order in which they were read or added.
  public private(set) var entries: [(key: CBORValue, value: CBORValue)] = []

  // Positions by key, kept only beyond `linearLimit` entries or where a key is itself an array or map: the maps of CTAP
  // are smaller, and comparing a few integers costs less than hashing one, but nested keys can be made so that
  // comparing each with each takes very long.
  private var index: [CBORValue: Int] = [:]
  private static let linearLimit = 16

  /// Creates an empty map.
  public init() {}

  /// Creates a map from entries; a key that comes twice keeps its first place and its last value.
  public init(_ entries: some Sequence<(CBORValue, CBORValue)>) {
    for (key, value) in entries { self[key] = value }
  }

  /// The number of entries.
  public var count: Int { entries.count }

  /// Whether there is no entry.
  public var isEmpty: Bool { entries.isEmpty }

  /// The keys in the order of the entries.
  public var keys: [CBORValue] { entries.map(\.key) }

  /// The value of a key; setting replaces it in place or appends it, and setting nil removes the entry.
  public subscript(key: CBORValue) -> CBORValue? {
    get { position(of: key).map { entries[$0].value } }
    set {
      switch (position(of: key), newValue) {
      case (let position?, let value?): entries[position].value = value
      case (let position?, nil): remove(at: position)
      case (nil, let value?): append(key, value)
      case (nil, nil): break
      }
    }
  }

  /// The value of an integer key.
  public subscript(key: Int) -> CBORValue? {
    get { self[CBORValue.int(key)] }
    set { self[CBORValue.int(key)] = newValue }
  }

  /// The value of a text key.
  public subscript(key: String) -> CBORValue? {
    get { self[CBORValue.text(key)] }
    set { self[CBORValue.text(key)] = newValue }
  }

  /// Appends an entry unless its key is there already, and says whether it did.
  mutating func insertNew(_ key: CBORValue, _ value: CBORValue) -> Bool {
    guard position(of: key) == nil else { return false }
    append(key, value)
    return true
  }

  private func position(of key: CBORValue) -> Int? {
    index.isEmpty ? entries.firstIndex { $0.key == key } : index[key]
  }

  private mutating func append(_ key: CBORValue, _ value: CBORValue) {
    entries.append((key, value))
    if !index.isEmpty {
      index[key] = entries.count - 1
    } else if entries.count > Self.linearLimit || key.isCompound {
      rebuildIndex()
    }
  }

  private mutating func remove(at position: Int) {
    entries.remove(at: position)
    rebuildIndex()
  }

  private mutating func rebuildIndex() {
    index.removeAll()
    guard entries.count > Self.linearLimit || entries.contains(where: { $0.key.isCompound }) else { return }
    for (position, entry) in entries.enumerated() { index[entry.key] = position }
  }
}

extension CBORValue {
  fileprivate var isCompound: Bool {
    switch self {
    case .array, .map, .tagged: true
    default: false
    }
  }
}

extension CBORMap: Hashable {
  /// Whether both hold the same keys with the same values.
  public static func == (left: CBORMap, right: CBORMap) -> Bool {
    left.count == right.count && left.entries.allSatisfy { right[$0.key] == $0.value }
  }

  /// Feeds the entries to the hasher in a way that does not depend on their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for (key, value) in entries {
      var entryHasher = Hasher()
      entryHasher.combine(key)
      entryHasher.combine(value)
      sum &+= entryHasher.finalize()
    }
    hasher.combine(count)
    hasher.combine(sum)
  }
}

extension CBORMap: ExpressibleByDictionaryLiteral {
  /// Writes a map as a literal; a key that comes twice keeps its last value.
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self.init(elements) }
}
