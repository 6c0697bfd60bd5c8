extension String {
  /// The text in quotation marks, cut at 60 characters, with what could disturb a terminal written as `\u{…}`.
  var quotedForPeople: String {
    var text = "\""
    for (index, character) in enumerated() {
      if index == 60 { return text + "…\"" }
      for scalar in character.unicodeScalars {
        if scalar.isUnfitForPeople {
          text += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text + "\""
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character, a line or paragraph separator, or changes the direction of the text around it.
  var isUnfitForPeople: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
    // Embeddings, overrides and isolates (Unicode Annex 9): they can make a text read as another.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
