/// Text from keys, requests, files and people, made fit to be shown to a person.
///
/// A terminal obeys control characters, and bidirectional controls make a text read as another one; names of keys and
/// members of requests come from strangers.
public enum PlainText {
  /// The text with what could disturb a terminal, mislead a reader or hide itself written as `\u{…}`.
  public static func shown(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { append(scalar, to: &shown) }
    return String(shown)
  }

  /// A JSON text with the same characters written as JSON's own `\u` escapes, so that it means the same.
  public static func shownJSON(_ text: String) -> String {
    // Between the strings of a JSON text there are spaces and line feeds alone.
    let isEscaped = { (scalar: Unicode.Scalar) in scalar.value >= 0x20 && Self.isEscaped(scalar) }
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard isEscaped(scalar) else {
        shown.append(scalar)
        continue
      }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        let digits = String(unit, radix: 16)
        shown.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
      }
    }
    return String(shown)
  }

  /// The same for a JSON text in UTF-8.
  public static func shownJSON(_ text: [UInt8]) -> [UInt8] {
    Array(shownJSON(String(decoding: text, as: UTF8.self)).utf8)
  }

  /// The text in quotation marks, as `shown`, cut after 60 code points.
  public static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 60, limitedBy: scalars.endIndex), end < scalars.endIndex
    else { return "\"" + shown(text) + "\"" }
    return "\"" + shown(String(scalars[..<end])) + "…\""
  }

  /// Whether a name may not have the character: controls, line and paragraph separators, and what turns the reading
  /// direction (embeddings, overrides and isolates of Unicode Annex 9).
  ///
  /// The marks and joiners that ordinary Arabic, Hebrew, Persian and Indic names need are fit.
  public static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Whether the character is written as an escape: what is unfit, and format characters that show nothing, save for the
  /// two joiners that emoji and many scripts are written with.
  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return isUnfit(scalar) }
    if scalar.value == 0x200C || scalar.value == 0x200D { return false }
    return isUnfit(scalar) || scalar.properties.generalCategory == .format
  }

  private static func append(_ scalar: Unicode.Scalar, to shown: inout String.UnicodeScalarView) {
    guard isEscaped(scalar) else { return shown.append(scalar) }
    shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
  }
}
