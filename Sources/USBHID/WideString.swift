extension String {
  /// The longest string taken from a device, in characters; USB allows 126 UTF-16 units.
  private static let longestWide = 1024

  /// Reads a C string of `wchar_t`, which holds a Unicode scalar here; a value that is no Unicode scalar becomes U+FFFD, nil stays nil.
  ///
  /// What a device says is kept as it is: making control characters harmless is the business of whoever prints it.
  init?(wide pointer: UnsafePointer<Int32>?) {
    guard let pointer else { return nil }
    var scalars = UnicodeScalarView()
    for index in 0..<Self.longestWide {
      if pointer[index] == 0 { break }
      scalars.append(UInt32(exactly: pointer[index]).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
    }
    self.init(scalars)
  }
}
