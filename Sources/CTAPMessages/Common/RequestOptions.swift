public import CBOR

/// The options of makeCredential and getAssertion, each as sent or nil where it was not (CTAP 2.3 §6.1, §6.2).
public struct RequestOptions: Hashable, Sendable {
  /// Whether the credential is to be discoverable.
  public var rk: Bool?
  /// Whether a touch is wanted.
  public var up: Bool?
  /// Whether the person is to be verified by the key itself.
  public var uv: Bool?
  /// Options that are not known.
  public var additional: CBORMap

  /// Creates options.
  public init(rk: Bool? = nil, up: Bool? = nil, uv: Bool? = nil, additional: CBORMap = CBORMap()) {
    self.rk = rk
    self.up = up
    self.uv = uv
    self.additional = additional
  }

  /// Whether no option is set, so that the member is left out of a request.
  public var isEmpty: Bool { self == RequestOptions() }
}

extension RequestOptions: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "options"

  private enum Key {
    static let rk = MemberKey("rk")
    static let up = MemberKey("up")
    static let uv = MemberKey("uv")
  }

  /// Reads options.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    rk = try reader.optional(Key.rk, .bool)
    up = try reader.optional(Key.up, .bool)
    uv = try reader.optional(Key.uv, .bool)
    additional = reader.additional
  }

  /// The options as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.rk, rk.map(CBORValue.bool))
    writer.set(Key.up, up.map(CBORValue.bool))
    writer.set(Key.uv, uv.map(CBORValue.bool))
    return writer.value
  }
}
