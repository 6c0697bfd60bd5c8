import CBOR
import CCBOR
import Octets
import Testing

/// Our decoder, libcbor's own tree decoder and the rule scan judge the same damaged inputs.
///
/// Where libcbor 0.8 and we differ, one of these rules explains it. We refuse and it accepts: indefinite lengths,
/// duplicate keys, depth, bytes after the item; in strict mode also long numbers, unsorted keys, tags. We accept and it
/// refuses: simple values and one-byte tag numbers without a registered meaning; in tolerant mode also text to repair.
@Suite("Judgement of damaged inputs")
struct DifferentialTests {
  private static let refusedAlways: Set<RuleScan.Rule> = [.indefinite, .duplicate, .tooDeep]
  private static let refusedInStrictMode: Set<RuleScan.Rule> = [
    .nonMinimal, .unsorted, .tag, .invalidUTF8,
  ]

  @Test("each input is accepted or refused as the written rules say", arguments: UInt64(1)...20)
  func judgement(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var counts = (strict: 0, tolerantOnly: 0, neither: 0)
    for _ in 0..<250 {
      let input = Mutation.input(using: &generator)
      let scan = RuleScan(input)
      let isWhole = scan.isWellFormed && scan.offset == input.count
      let tolerant = judge(input, .tolerant)
      let strict = judge(input, .strict)
      if strict.isAccepted {
        counts.strict += 1
      } else if tolerant.isAccepted {
        counts.tolerantOnly += 1
      } else {
        counts.neither += 1
      }
      let hex = Comment(rawValue: Hex.encode(input))
      #expect(
        tolerant.isAccepted == (isWhole && scan.rules.isDisjoint(with: Self.refusedAlways)), hex)
      #expect(
        strict.isAccepted
          == (isWhole
            && scan.rules.isDisjoint(with: Self.refusedAlways.union(Self.refusedInStrictMode))),
        hex)
      for refusal in [tolerant.refusal, strict.refusal] {
        if let refusal { #expect(explains(refusal, scan, input.count), hex) }
      }
      if case .accepted(let value) = strict { #expect(value.encoded().count <= input.count, hex) }
      try compareWithLibrary(input, scan, tolerant)
    }
    // The inputs are of all three kinds, or the comparison says little.
    #expect(min(counts.strict, counts.tolerantOnly, counts.neither) > 3, "\(counts)")
  }

  private func compareWithLibrary(_ input: [UInt8], _ scan: RuleScan, _ ours: Judgement) throws {
    // A claim of 2^30 entries makes libcbor allocate and fill that much.
    guard !scan.rules.contains(.hugeClaim) else { return }
    let hex = Comment(rawValue: Hex.encode(input))
    let theirs = LibraryTree.load(input)
    #expect(
      (theirs != nil)
        == (scan.isWellFormed && scan.rules.isDisjoint(with: [.unassigned, .invalidUTF8])), hex)
    guard let theirs, case .accepted(let value) = ours else { return }
    #expect(theirs.end == input.count, hex)
    #expect(theirs.value == value, hex)
    // A long tag number may become a short one that libcbor does not know.
    let encoded = value.encoded()
    guard RuleScan(encoded).rules.isDisjoint(with: [.unassigned]) else { return }
    #expect(try #require(LibraryTree.load(encoded), hex).value == value, hex)
  }

  private enum Judgement {
    case accepted(CBORValue)
    case refused(CBORError)

    var isAccepted: Bool { refusal == nil }
    var refusal: CBORError? { if case .refused(let error) = self { error } else { nil } }
  }

  private func judge(_ input: [UInt8], _ mode: CBORDecoder.Mode) -> Judgement {
    do throws(CBORError) {
      return .accepted(try CBORDecoder.decode(input, mode: mode))
    } catch {
      return .refused(error)
    }
  }

  /// Whether the rule that an error names is one that the scan saw broken, too.
  private func explains(_ error: CBORError, _ scan: RuleScan, _ count: Int) -> Bool {
    switch error {
    case .indefiniteLength: scan.rules.contains(.indefinite) || !scan.isWellFormed
    case .duplicateKey: scan.rules.contains(.duplicate) || !scan.isWellFormed
    case .nonMinimal: scan.rules.contains(.nonMinimal)
    case .unsortedKeys: scan.rules.contains(.unsorted)
    case .tag: scan.rules.contains(.tag)
    case .invalidUTF8: scan.rules.contains(.invalidUTF8)
    case .tooDeep: scan.rules.contains(.tooDeep)
    case .trailingBytes(let trailing, let offset):
      offset == scan.offset && trailing == count - offset
    case .truncated, .countExceedsInput, .reservedInitialByte, .invalidSimpleValue,
      .unexpectedBreak:
      !scan.isWellFormed
    case .tooManyItems, .inputTooLarge, .startOutOfRange: false
    }
  }
}

/// What libcbor's tree decoder makes of an input.
private enum LibraryTree {
  static func load(_ input: [UInt8]) -> (value: CBORValue?, end: Int)? {
    var result = cbor_load_result()
    var item = cbor_load(input, input.count, &result)
    guard let root = item else { return nil }
    defer { cbor_decref(&item) }
    return (value(root), result.read)
  }

  private static func value(_ item: UnsafeMutablePointer<cbor_item_t>) -> CBORValue? {
    switch cbor_typeof(item) {
    case CBOR_TYPE_UINT: return .unsigned(cbor_get_int(item))
    case CBOR_TYPE_NEGINT: return .negative(cbor_get_int(item))
    case CBOR_TYPE_BYTESTRING:
      return .bytes(
        Array(
          UnsafeBufferPointer(
            start: cbor_bytestring_handle(item), count: cbor_bytestring_length(item))))
    case CBOR_TYPE_STRING:
      let content = UnsafeBufferPointer(
        start: cbor_string_handle(item), count: cbor_string_length(item))
      return .text(String(decoding: content, as: UTF8.self))
    case CBOR_TYPE_ARRAY:
      let elements = UnsafeBufferPointer(
        start: cbor_array_handle(item), count: cbor_array_size(item))
      return .array(elements.compactMap { $0.flatMap(value) })
    case CBOR_TYPE_MAP:
      let pairs = UnsafeBufferPointer(start: cbor_map_handle(item), count: cbor_map_size(item))
      return .map(
        CBORMap(
          pairs.compactMap { pair in
            value(pair.key).flatMap { key in value(pair.value).map { (key, $0) } }
          }))
    case CBOR_TYPE_TAG:
      var content = cbor_tag_item(item)
      defer { cbor_decref(&content) }
      return content.flatMap(value).map { .tagged(cbor_tag_value(item), $0) }
    default:
      guard cbor_float_ctrl_is_ctrl(item) else { return .float(cbor_float_get_float(item)) }
      switch cbor_ctrl_value(item) {
      case 20: return false
      case 21: return true
      case 22: return .null
      case 23: return .undefined
      default: return nil
      }
    }
  }
}
