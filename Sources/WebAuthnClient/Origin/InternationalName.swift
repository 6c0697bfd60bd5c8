internal import CIDN2

/// Domain names in their ASCII form (UTS 46, non-transitional, as the URL standard wants them).
enum InternationalName {
  /// The lower-case ASCII form of a domain, or nil where it has none.
  static func ascii(_ domain: String) -> String? {
    var output: UnsafeMutablePointer<CChar>?
    let flags = CInt(IDN2_NONTRANSITIONAL.rawValue | IDN2_NFC_INPUT.rawValue)
    guard !domain.utf8.contains(0), idn2_to_ascii_8z(domain, &output, flags) == CInt(IDN2_OK.rawValue),
      let output
    else { return nil }
    defer { idn2_free(output) }
    return String(cString: output).lowercased()
  }
}
