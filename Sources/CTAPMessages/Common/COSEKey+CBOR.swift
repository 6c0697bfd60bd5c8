public import CBOR

extension COSEKey: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "COSE key"

  private enum Key {
    static let kty = MemberKey(1, "kty")
    static let alg = MemberKey(3, "alg")
    // The same numbers mean different things for different key types.
    static let crv = MemberKey(-1, "crv")
    static let x = MemberKey(-2, "x")
    static let y = MemberKey(-3, "y")
    static let n = MemberKey(-1, "n")
    static let e = MemberKey(-2, "e")
  }

  /// Reads a key; compressed points, which CTAP and WebAuthn forbid, are refused.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    let keyType = try reader.required(Key.kty, .integer)
    alg = try reader.optional(Key.alg, .integer)
    switch keyType {
    case KeyType.ec2:
      material = .ec2(
        curve: try reader.required(Key.crv, .integer), x: try reader.required(Key.x, .bytes),
        y: try reader.required(Key.y, .bytes))
    case KeyType.okp:
      material = .okp(curve: try reader.required(Key.crv, .integer), x: try reader.required(Key.x, .bytes))
    case KeyType.rsa:
      material = .rsa(n: try reader.required(Key.n, .bytes), e: try reader.required(Key.e, .bytes))
    default:
      material = .unknown(keyType: keyType, parameters: reader.additional)
      additional = CBORMap()
      return
    }
    additional = reader.additional
  }

  /// The key as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    switch material {
    case .ec2(let curve, let x, let y):
      writer.set(Key.crv, .int(curve))
      writer.set(Key.x, .bytes(x))
      writer.set(Key.y, .bytes(y))
    case .okp(let curve, let x):
      writer.set(Key.crv, .int(curve))
      writer.set(Key.x, .bytes(x))
    case .rsa(let n, let e):
      writer.set(Key.n, .bytes(n))
      writer.set(Key.e, .bytes(e))
    case .unknown(_, let parameters):
      writer = MemberWriter(parameters)
    }
    writer.set(Key.kty, .int(kty))
    writer.set(Key.alg, alg.map(CBORValue.int))
    return writer.value
  }
}
