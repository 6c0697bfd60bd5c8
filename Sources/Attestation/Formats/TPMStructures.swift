// The structures of TPM 2.0 Library, Part 2, that a statement carries; integers are big-endian.

internal import FIDOCrypto
internal import Octets

/// `TPMS_ATTEST` of a certification (§10.12.8).
struct TPMCertification {
  let extraData: [UInt8]
  /// The name of the key that was certified.
  let name: [UInt8]

  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(ByteReaderError) {
      // TPM_GENERATED_VALUE, which a TPM puts before nothing that it is given to sign, and TPM_ST_ATTEST_CERTIFY.
      guard try reader.uint32() == 0xff54_4347, try reader.uint16() == 0x8017 else { return nil }
      _ = try reader.sized()
      extraData = try reader.sized()
      // Clock, reset count, restart count, safe; firmware version.
      _ = try reader.bytes(17 + 8)
      name = try reader.sized()
      _ = try reader.sized()
    } catch {
      return nil
    }
    guard reader.remaining == 0 else { return nil }
  }
}

/// `TPMT_PUBLIC` of an RSA or an elliptic curve key (§12.2.4).
struct TPMPublicArea {
  let key: PublicKey
  private let nameAlgorithm: UInt16

  private enum Identifier {
    static let rsa: UInt16 = 0x0001
    static let null: UInt16 = 0x0010
    static let rsaEncryption: UInt16 = 0x0015
    static let ecdaa: UInt16 = 0x001a
    static let elliptic: UInt16 = 0x0023
  }

  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(ByteReaderError) {
      let type = try reader.uint16()
      nameAlgorithm = try reader.uint16()
      // Attributes and policy say what the key may do, which is the relying party's interest in TPMs, not in FIDO.
      _ = try reader.uint32()
      _ = try reader.sized()
      // A symmetric algorithm, with its key size and mode.
      if try reader.uint16() != Identifier.null { _ = try reader.bytes(4) }
      let scheme = try reader.uint16()
      switch scheme {
      case Identifier.null, Identifier.rsaEncryption: break
      case Identifier.ecdaa: _ = try reader.bytes(4)
      default: _ = try reader.uint16()
      }
      switch type {
      case Identifier.rsa:
        _ = try reader.uint16()
        let exponent = try reader.uint32()
        key = .rsa(modulus: try reader.sized(), exponent: exponent == 0 ? [1, 0, 1] : exponent.shortest)
      case Identifier.elliptic:
        guard let curve = Self.curve(try reader.uint16()) else { return nil }
        if try reader.uint16() != Identifier.null { _ = try reader.uint16() }
        let x = try reader.sized()
        let y = try reader.sized()
        guard let x = Self.padded(x, curve), let y = Self.padded(y, curve) else { return nil }
        key = .elliptic(curve, x: x, y: y)
      default: return nil
      }
    } catch {
      return nil
    }
    guard reader.remaining == 0 else { return nil }
  }

  /// The name that a TPM gives the key: the hash's number and the hash of the area (Part 1, §16); nil for other hashes.
  func name(of area: [UInt8]) -> [UInt8]? {
    let hash: [UInt8]
    switch nameAlgorithm {
    case 0x000b: hash = Digest.sha256(area)
    case 0x000c: hash = Digest.sha384(area)
    case 0x000d: hash = Digest.sha512(area)
    default: return nil
    }
    var name: [UInt8] = []
    name.append(bigEndian: nameAlgorithm)
    return name + hash
  }

  private static func curve(_ number: UInt16) -> EllipticCurve? {
    switch number {
    case 0x0003: .p256
    case 0x0004: .p384
    case 0x0005: .p521
    default: nil
    }
  }

  /// A TPM may leave the leading zeros of a coordinate out.
  private static func padded(_ coordinate: [UInt8], _ curve: EllipticCurve) -> [UInt8]? {
    let missing = curve.coordinateSize - coordinate.count
    return missing >= 0 ? [UInt8](repeating: 0, count: missing) + coordinate : nil
  }
}

extension ByteReader {
  /// A structure with its size in front (`TPM2B_…`).
  fileprivate mutating func sized() throws(ByteReaderError) -> [UInt8] { try bytes(Int(try uint16())) }
}

extension UInt32 {
  /// The big-endian bytes without leading zeros, as COSE writes an exponent.
  fileprivate var shortest: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: self)
    return Array(bytes.drop { $0 == 0 })
  }
}
