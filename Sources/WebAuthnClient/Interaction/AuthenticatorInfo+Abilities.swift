internal import CTAPMessages

extension AuthenticatorInfo {
  /// Whether the key knows an extension, by its CTAP identifier.
  public func supports(_ identifier: String) -> Bool { abilities.supports(extension: identifier) }
}

/// The transports of a response: unique and sorted (WebAuthn L3 §5.2.1.1).
enum TransportNames {
  /// What the key says; `usb` where it says nothing, because that is how it was reached.
  static func sorted(_ stated: [String]?) -> [String] {
    guard let stated, !stated.isEmpty else { return ["usb"] }
    return Set(stated).sorted()
  }
}
