internal import CUTF8Proc
public import Octets

/// The rules that a PIN's text obeys before a key sees it (CTAP 2.2 §6.5.1).
///
/// 1. It is UTF-8 in normalisation form C, so that the same PIN typed on another machine is the same bytes.
/// 2. Its minimum is counted in code points: 4, or more where the key says so.
/// 3. Its maximum is counted in bytes: 63, which leaves room for one zero in the padded 64. A key may state a
///    smaller one in code points.
/// 4. It has no NUL, because the padding ends it there.
public enum PIN {
  /// The least that any key takes, in code points.
  public static let minimumCodePoints = 4
  /// The most that any key takes, in bytes of UTF-8.
  public static let maximumBytes = 63

  /// The longest text that is looked at, in bytes: far above any that normalises to 63.
  private static let longestTyped = 4096

  /// Returns the PIN as a key takes it, or says which rule it breaks; a prepared PIN comes back unchanged.
  public static func prepare(
    _ typed: SecretBytes, minimumCodePoints: Int = PIN.minimumCodePoints, maximumCodePoints: Int? = nil
  ) throws(PINError) -> SecretBytes {
    guard typed.count <= longestTyped else { throw .tooManyBytes(typed.count, maximum: maximumBytes) }
    guard !typed.withBytes({ $0.contains(0) }) else { throw .containsNUL }
    let (text, codePoints) = try normalized(typed)
    guard codePoints >= minimumCodePoints else { throw .tooShort(codePoints, minimum: minimumCodePoints) }
    guard text.count <= maximumBytes else { throw .tooManyBytes(text.count, maximum: maximumBytes) }
    if let maximumCodePoints, codePoints > maximumCodePoints {
      throw .tooLong(codePoints, maximum: maximumCodePoints)
    }
    return text
  }

  /// The text in form C and its number of code points.
  ///
  /// utf8proc's one-call form allocates and frees memory of its own, which would keep the PIN; here it works
  /// in a buffer that is zeroed.
  private static func normalized(_ typed: SecretBytes) throws(PINError) -> (SecretBytes, codePoints: Int) {
    let options = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
    func decompose(into buffer: UnsafeMutablePointer<utf8proc_int32_t>?, capacity: Int) -> Int {
      typed.withBytes { bytes in
        utf8proc_decompose(
          bytes.bindMemory(to: utf8proc_uint8_t.self).baseAddress, bytes.count, buffer, capacity, options)
      }
    }
    let capacity = decompose(into: nil, capacity: 0)
    guard capacity >= 0 else { throw .notUTF8 }
    var length = 0
    var codePoints = 0
    // One element more than needed, because utf8proc ends the text with a NUL.
    let work = SecretBytes(count: (capacity + 1) * MemoryLayout<utf8proc_int32_t>.stride) { buffer in
      let scalars = buffer.bindMemory(to: utf8proc_int32_t.self)
      guard decompose(into: scalars.baseAddress, capacity: capacity) == capacity else { return }
      codePoints = utf8proc_normalize_utf32(scalars.baseAddress, capacity, options)
      length = utf8proc_reencode(scalars.baseAddress, codePoints, options)
    }
    guard codePoints >= 0, length >= 0, let text = work.slice(0..<length) else { throw .notUTF8 }
    return (text, codePoints)
  }
}

/// Why a text cannot be a PIN; the counts are in the unit that the case names.
public enum PINError: Error, Hashable, Sendable {
  /// Fewer code points than the key's minimum.
  case tooShort(Int, minimum: Int)
  /// More code points than the key's own maximum.
  case tooLong(Int, maximum: Int)
  /// More bytes than a PIN may have.
  case tooManyBytes(Int, maximum: Int)
  /// A NUL, which would end the PIN early.
  case containsNUL
  /// Bytes that are no UTF-8.
  case notUTF8
}

extension PINError: CustomStringConvertible {
  /// One sentence for people, without the PIN.
  public var description: String {
    switch self {
    case .tooShort(let found, let minimum): "The PIN has \(found) characters; this key wants at least \(minimum)."
    case .tooLong(let found, let maximum): "The PIN has \(found) characters; this key takes at most \(maximum)."
    case .tooManyBytes(let found, let maximum): "The PIN has \(found) bytes in UTF-8; a PIN has at most \(maximum)."
    case .containsNUL: "The PIN has a NUL character in it, which no key takes."
    case .notUTF8: "The PIN is not valid UTF-8 text."
    }
  }
}
