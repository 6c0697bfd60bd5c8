/// The answer to the question what an authenticator shall be called.
public struct AuthenticatorDescriptor: Hashable, Sendable {
  /// The name as it was given; blank stands for the suggested one.
  public var friendlyName: String

  /// Creates a descriptor.
  public init(friendlyName: String) {
    self.friendlyName = friendlyName
  }

  /// The name without white space at both ends.
  public var trimmedName: String { friendlyName.trimmed }

  /// Why a name is refused, or nil where it may be used: control characters and bidirectional overrides are not wanted.
  ///
  /// White space at both ends does not count, because it is trimmed.
  public static func objection(to name: String) -> String? {
    guard let unfit = name.trimmed.unicodeScalars.first(where: PlainText.isUnfit) else { return nil }
    let code = String(unfit.value, radix: 16, uppercase: true)
    let number = String(repeating: "0", count: max(0, 4 - code.count)) + code
    return "The name has the control or direction character U+\(number); leave it out."
  }
}

extension String {
  /// The text without white space at both ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
