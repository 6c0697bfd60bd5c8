/// Text from keys, requests and files, made harmless for a terminal.
enum SafeText {
  /// The text with control characters, bidirectional overrides and other invisible formatting written as `\u{…}`.
  static func escaping(_ text: String) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isHarmful(scalar) {
        safe.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        safe.append(scalar)
      }
    }
    return String(safe)
  }

  /// Whether a scalar could move the cursor, hide itself or turn the reading direction.
  static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    // U+200D joins emoji and is the one format character that ordinary names contain.
    case .format: scalar.value != 0x200d
    default: false
    }
  }
}
