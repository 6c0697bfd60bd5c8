// The layout, integers big-endian:
//   rpIdHash(32) | flags(1) | signCount(4)
//   with AT: | aaguid(16) | L(2) | credentialId(L) | COSE key, one CBOR item |
//   with ED: | extension outputs, one CBOR map |
// and nothing after. Neither CBOR item has a length of its own.

public import CBOR
import Octets

extension AuthenticatorData {
  static let messageName = "authenticator data"

  /// Reads authenticator data that is all of `bytes`.
  ///
  /// Throws a `MessageError` where it ends early, goes on past its end, or holds anything but what its flags say.
  public static func parse(
    _ bytes: [UInt8], mode: CBORDecoder.Mode = .tolerant
  ) throws(MessageError) -> AuthenticatorData {
    var parser = Parser(bytes: bytes, mode: mode)
    return try parser.authenticatorData()
  }

  /// The bytes; those of the public key and the extension outputs are the ones that were read.
  public func encoded() -> [UInt8] {
    var bytes = rpIDHash
    bytes.append(flags.rawValue)
    bytes.append(bigEndian: signCount)
    if let attestedCredential {
      bytes += attestedCredential.aaguid.bytes
      bytes.append(bigEndian: UInt16(truncatingIfNeeded: attestedCredential.credentialID.count))
      bytes += attestedCredential.credentialID
      bytes += attestedCredential.publicKeyBytes
    }
    bytes += extensionBytes ?? []
    return bytes
  }
}

private struct Parser {
  let bytes: [UInt8]
  let mode: CBORDecoder.Mode
  var offset = 0

  mutating func authenticatorData() throws(MessageError) -> AuthenticatorData {
    let hash = try take(32, "rpIdHash")
    let flags = AuthenticatorData.Flags(rawValue: UInt8(truncatingIfNeeded: try integer(1, "flags")))
    let signCount = try integer(4, "signCount")
    let credential = flags.contains(.attestedCredential) ? try attestedCredential() : nil
    var extensions: CBORMap?
    var extensionBytes: [UInt8]?
    if flags.contains(.extensionData) {
      let (value, read) = try item("extensions")
      guard case .map(let map) = value else {
        throw error("extensions", .wrongType(expected: "map", found: value.kind))
      }
      (extensions, extensionBytes) = (map, read)
    }
    guard offset == bytes.count else { throw error("", .trailingBytes(bytes.count - offset)) }
    return AuthenticatorData(
      hash: hash, flags: flags, signCount: signCount, attestedCredential: credential, extensions: extensions,
      extensionBytes: extensionBytes)
  }

  private mutating func attestedCredential() throws(MessageError) -> AttestedCredential {
    let aaguid = AAGUID(sixteen: try take(16, "aaguid"))
    let length = Int(try integer(2, "credentialIdLength"))
    try AttestedCredential.checkLength(length)
    let id = try take(length, "credentialId")
    let (value, read) = try item("credentialPublicKey")
    do throws(MessageError) {
      return try AttestedCredential(
        aaguid: aaguid, credentialID: id, publicKey: try COSEKey(cbor: value), publicKeyBytes: read)
    } catch {
      throw error.inside(AuthenticatorData.messageName, MemberKey("credentialPublicKey"))
    }
  }

  private mutating func item(_ member: String) throws(MessageError) -> (CBORValue, [UInt8]) {
    guard offset < bytes.count else { throw error(member, .truncated(needed: 1, remaining: 0)) }
    do throws(CBORError) {
      let (value, end) = try CBORDecoder.decodePrefix(bytes, from: offset, mode: mode)
      defer { offset = end }
      return (value, Array(bytes[offset..<end]))
    } catch {
      throw self.error(member, .notCBOR(error))
    }
  }

  private mutating func integer(_ count: Int, _ member: String) throws(MessageError) -> UInt32 {
    try take(count, member).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func take(_ count: Int, _ member: String) throws(MessageError) -> [UInt8] {
    guard count <= bytes.count - offset else {
      throw error(member, .truncated(needed: count, remaining: bytes.count - offset))
    }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  private func error(_ member: String, _ problem: MessageError.Problem) -> MessageError {
    MessageError(message: AuthenticatorData.messageName, member: member, problem: problem)
  }
}

extension MemberType where Value == AuthenticatorData {
  /// A byte string that holds authenticator data.
  static var authenticatorData: Self {
    MemberType { value throws(MessageError) in
      try AuthenticatorData.parse(try MemberType<[UInt8]>.bytes.read(value))
    }
  }
}
