public import CBOR

extension AuthenticatorOptions: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "options"

  /// Reads options; one that the specification names and that is not a boolean is an error.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    let entries = reader.additional.entries
    for option in AuthenticatorOption.allCases {
      // Read for its check: the loop below takes the values.
      _ = try reader.optional(MemberKey(option.rawValue), .bool)
    }
    self.init()
    for (key, value) in entries {
      if case (.text(let name), .bool(let flag)) = (key, value) {
        values[name] = flag
      } else {
        additional[key] = value
      }
    }
  }

  /// The options as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    for (name, flag) in values { writer.set(MemberKey(name), .bool(flag)) }
    return writer.value
  }
}
