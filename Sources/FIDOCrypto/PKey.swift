import COpenSSL
import Octets

/// The owner of an OpenSSL key, private or public, which never changes once made.
final class PKey: Sendable {
  // OpenSSL locks what it caches inside a finished key, so threads may share one.
  nonisolated(unsafe) let pointer: OpaquePointer

  /// Takes over a key that a C call returned; nil is that call's failure.
  init(taking pointer: OpaquePointer?, _ operation: String) throws(CryptoError) {
    guard let pointer else { throw ErrorQueue.failure(operation) }
    self.pointer = pointer
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The kind of the key.
  func type() throws(CryptoError) -> KeyType {
    if EVP_PKEY_is_a(pointer, "EC") == 1 { return .elliptic(try curve()) }
    if EVP_PKEY_is_a(pointer, "RSA") == 1 { return .rsa }
    if EVP_PKEY_is_a(pointer, "ED25519") == 1 { return .ed25519 }
    if EVP_PKEY_is_a(pointer, "ED448") == 1 { return .ed448 }
    let name = EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) }
    throw .unsupported("a key of type \(name ?? "unknown")")
  }

  private func curve() throws(CryptoError) -> EllipticCurve {
    ErrorQueue.clear()
    // RFC 5480 §2.1.1 forbids explicit curve parameters; OpenSSL names them where it recognises the curve.
    var explicit: Int32 = 0
    if EVP_PKEY_get_int_param(pointer, "decoded-from-explicit", &explicit) == 1, explicit != 0 {
      throw .unsupported("a curve by its parameters")
    }
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else {
      ErrorQueue.clear()
      throw .unsupported("a curve without a name")
    }
    let text = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let curve = EllipticCurve.allCases.first(where: { $0.groupName == text }) else {
      throw .unsupported("the curve \(text)")
    }
    return curve
  }

  /// The public half as values.
  func publicKey() throws(CryptoError) -> PublicKey {
    switch try type() {
    case .elliptic(let curve):
      let size = curve.coordinateSize
      return .elliptic(curve, x: try integer("qx", size: size), y: try integer("qy", size: size))
    case .rsa:
      let key = PublicKey.rsa(modulus: try integer("n", size: nil), exponent: try integer("e", size: nil))
      try key.checkSizes()
      return key
    case .ed25519: return .ed25519(try rawPublicKey(size: 32))
    case .ed448: return .ed448(try rawPublicKey(size: 57))
    }
  }

  /// A public number of the key, most significant byte first, padded to `size` where one is given.
  private func integer(_ name: String, size: Int?) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    var number: OpaquePointer?
    // The point at infinity has no coordinates.
    guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else {
      throw .invalidKey(ErrorQueue.explain("it has no \(name)"))
    }
    let integer = try Owned(number, "read \(name) of a key") { BN_free($0) }
    let needed = Int((BN_num_bits(integer.pointer) + 7) / 8)
    var bytes = [UInt8](repeating: 0, count: size ?? needed)
    let written = BN_bn2binpad(integer.pointer, &bytes, try Owned.length(bytes.count))
    guard written == bytes.count else { throw ErrorQueue.failure("read \(name) of a key") }
    return bytes
  }

  private func rawPublicKey(size: Int) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    var bytes = [UInt8](repeating: 0, count: size)
    var length = size
    try ErrorQueue.check(EVP_PKEY_get_raw_public_key(pointer, &bytes, &length), "read a public key")
    return bytes
  }
}

extension PKey {
  /// Makes a key of a type from its numbers.
  static func from(_ parameters: Parameters, type: String, selection: Int32) throws(CryptoError) -> PKey {
    let context = try Owned.keyContext(type: type)
    try ErrorQueue.check(EVP_PKEY_fromdata_init(context.pointer), "make a key from data")
    var key: OpaquePointer?
    let status = parameters.withPointer { EVP_PKEY_fromdata(context.pointer, &key, selection, $0) }
    guard status == 1 else { throw .invalidKey(ErrorQueue.explain("\(type) does not take it")) }
    return try PKey(taking: key, "make a key from data")
  }

  /// Makes a key on a curve from its private scalar, most significant byte first, of at most the curve's size.
  static func elliptic(_ curve: EllipticCurve, scalar: SecretBytes) throws(CryptoError) -> PKey {
    guard (1...curve.coordinateSize).contains(scalar.count) else {
      throw .invalidLength(what: "private scalar", expected: curve.coordinateSize, found: scalar.count)
    }
    ErrorQueue.clear()
    let number = try Owned.integer(scalar)
    BN_set_flags(number.pointer, BN_FLG_CONSTTIME)
    let group = try Owned(EC_GROUP_new_by_curve_name(curve.groupNumber), "find the curve") { EC_GROUP_free($0) }
    guard BN_is_zero(number.pointer) == 0, BN_cmp(number.pointer, EC_GROUP_get0_order(group.pointer)) < 0 else {
      throw .invalidKey("the private scalar is not between 1 and the order of the curve")
    }
    let point = try Owned(EC_POINT_new(group.pointer), "make a point") { EC_POINT_free($0) }
    try ErrorQueue.check(
      EC_POINT_mul(group.pointer, point.pointer, number.pointer, nil, nil, nil), "compute a public key")
    var octets = [UInt8](repeating: 0, count: 1 + 2 * curve.coordinateSize)
    let written = EC_POINT_point2oct(
      group.pointer, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &octets, octets.count, nil)
    guard written == octets.count else { throw ErrorQueue.failure("encode a public key") }
    let parameters = Parameters()
    parameters.text("group", curve.groupName)
    parameters.octets("pub", octets)
    scalar.withBytes { parameters.unsigned("priv", bigEndian: $0) }
    return try from(parameters, type: "EC", selection: bridge_pkey_keypair())
  }
}
