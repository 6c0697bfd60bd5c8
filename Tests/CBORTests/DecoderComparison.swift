import CBOR

/// Our decoder, libcbor's own tree decoder and the rule scan, on one input; the tests and the fuzzer share it.
///
/// Where libcbor 0.8 and we differ, one of these rules explains it. We refuse and it accepts: indefinite lengths,
/// duplicate keys, depth, bytes after the item; in strict mode also long numbers, unsorted keys, tags. We accept and it
/// refuses: simple values and one-byte tag numbers without a registered meaning; in tolerant mode also text to repair.
struct DecoderComparison {
  enum Judgement {
    case accepted(CBORValue)
    case refused(CBORError)

    init(_ input: [UInt8], _ mode: CBORDecoder.Mode) {
      do throws(CBORError) {
        self = .accepted(try CBORDecoder.decode(input, mode: mode))
      } catch {
        self = .refused(error)
      }
    }

    var isAccepted: Bool { refusal == nil }
    var refusal: CBORError? { if case .refused(let error) = self { error } else { nil } }
  }

  private static let refusedAlways: Set<RuleScan.Rule> = [.indefinite, .duplicate, .tooDeep]
  private static let refusedInStrictMode: Set<RuleScan.Rule> = [.nonMinimal, .unsorted, .tag, .invalidUTF8]

  let tolerant: Judgement
  let strict: Judgement
  /// What no written rule explains, in a few words.
  private(set) var disagreements: [String] = []

  init(_ input: [UInt8]) {
    tolerant = Judgement(input, .tolerant)
    strict = Judgement(input, .strict)
    let scan = RuleScan(input)
    let isWhole = scan.isWellFormed && scan.offset == input.count
    require(
      tolerant.isAccepted == (isWhole && scan.rules.isDisjoint(with: Self.refusedAlways)),
      "the tolerant mode does not follow the rules")
    require(
      strict.isAccepted
        == (isWhole && scan.rules.isDisjoint(with: Self.refusedAlways.union(Self.refusedInStrictMode))),
      "the strict mode does not follow the rules")
    for refusal in [tolerant.refusal, strict.refusal] {
      if let refusal {
        require(Self.explains(refusal, scan, input.count), "a rule is named that is not broken: \(refusal)")
      }
    }
    if case .accepted(let value) = strict, !value.hasFloat {
      require(value.encoded() == input, "strict input is written differently")
    }
    compareWithLibrary(input, scan)
  }

  private mutating func compareWithLibrary(_ input: [UInt8], _ scan: RuleScan) {
    // A claim of 2^30 entries makes libcbor allocate and fill that much.
    guard !scan.rules.contains(.hugeClaim) else { return }
    let theirs = LibraryTree.load(input)
    require(
      (theirs != nil) == (scan.isWellFormed && scan.rules.isDisjoint(with: [.unassigned, .invalidUTF8])),
      "libcbor judges differently")
    guard let theirs, case .accepted(let value) = tolerant else { return }
    require(theirs.end == input.count && theirs.value == value, "libcbor reads another value")
    // A long tag number may become a short one that libcbor does not know; and every NaN is written as the same one.
    let encoded = value.encoded()
    guard !value.hasFloat, RuleScan(encoded).rules.isDisjoint(with: [.unassigned]) else { return }
    require(LibraryTree.load(encoded)?.value == value, "libcbor reads another value from what we write")
  }

  private mutating func require(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds { disagreements.append(words()) }
  }

  /// Whether the rule that an error names is one that the scan saw broken, too.
  private static func explains(_ error: CBORError, _ scan: RuleScan, _ count: Int) -> Bool {
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

extension CBORValue {
  /// Whether there is a number in it that may be written in another width, or as another NaN, than it was read.
  var hasFloat: Bool {
    switch self {
    case .float: true
    case .array(let elements): elements.contains(where: \.hasFloat)
    case .map(let map): map.entries.contains { $0.key.hasFloat || $0.value.hasFloat }
    case .tagged(_, let content): content.hasFloat
    default: false
    }
  }
}
