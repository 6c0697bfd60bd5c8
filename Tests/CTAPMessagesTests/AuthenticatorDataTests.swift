import CBOR
import CTAPMessages
import Testing

@Suite("Authenticator data")
struct AuthenticatorDataTests {
  let hash = [UInt8](repeating: 0x11, count: 32)
  let key = COSEKey(.ec2(curve: 1, x: [1, 2], y: [3, 4]), alg: -7)

  private func head(_ flags: UInt8) -> [UInt8] { hash + [flags, 0, 0, 1, 2] }

  private func problem(_ bytes: [UInt8]) -> MessageError? {
    do {
      _ = try AuthenticatorData.parse(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("the flags AT and ED follow from what is there")
  func derivedFlags() throws {
    let credential = try AttestedCredential(aaguid: .zero, credentialID: [1], publicKey: key)
    let bare = try AuthenticatorData(
      rpIDHash: hash, flags: [.userPresent, .attestedCredential, .extensionData], signCount: 7)
    #expect(bare.flags == .userPresent)
    let full = try AuthenticatorData(
      rpIDHash: hash, flags: .userVerified, signCount: 7, attestedCredential: credential, extensions: ["a": 1])
    #expect(full.flags == [.userVerified, .attestedCredential, .extensionData])
    #expect(try AuthenticatorData.parse(full.encoded()) == full)
  }

  @Test("reserved flags are kept")
  func reservedFlags() throws {
    let bytes = head(0x23)
    let data = try AuthenticatorData.parse(bytes)
    #expect(data.flags.rawValue == 0x23)
    #expect(data.encoded() == bytes)
    #expect(data.signCount == 0x0102)
  }

  @Test("BS without BE is read and reported as a contradiction")
  func backup() throws {
    let expected: [(UInt8, AuthenticatorData.Backup)] = [
      (0x01, .deviceBound), (0x09, .eligible), (0x19, .backedUp), (0x11, .contradiction),
    ]
    for (flags, backup) in expected { #expect(try AuthenticatorData.parse(head(flags)).backup == backup) }
  }

  @Test("the bytes of an unsorted key and of unsorted extension outputs survive")
  func exactBytes() throws {
    // The key has its members in the order -3, -2, -1, 3, 1; the outputs have an integer of needless length.
    let publicKey = hex("a52241032141022001032601" + "02")
    let extensions = hex("a2616218016161" + "02")
    let bytes = head(0xc1) + AAGUID.zero.bytes + [0, 2, 8, 9] + publicKey + extensions
    let data = try AuthenticatorData.parse(bytes)
    #expect(data.attestedCredential?.publicKeyBytes == publicKey)
    #expect(data.attestedCredential?.publicKey == COSEKey(.ec2(curve: 1, x: [2], y: [3]), alg: -7))
    #expect(data.extensions == ["a": 2, "b": 1])
    #expect(data.encoded() == bytes)
    #expect(throws: MessageError.self) { try AuthenticatorData.parse(bytes, mode: .strict) }
  }

  @Test("extension outputs follow an assertion's data too, and unknown ones are data")
  func assertionExtensions() throws {
    let bytes = head(0x81) + hex("a1656e657765728101")
    let data = try AuthenticatorData.parse(bytes)
    #expect(data.attestedCredential == nil)
    #expect(data.extensions?.count == 1)
    #expect(data.encoded() == bytes)
  }

  @Test("flags without content, and content without flags, are errors")
  func flagsAgree() throws {
    #expect(
      problem(head(0x41))
        == MessageError(
          message: "authenticator data", member: "aaguid", problem: .truncated(needed: 16, remaining: 0)))
    #expect(
      problem(head(0x81))
        == MessageError(
          message: "authenticator data", member: "extensions", problem: .truncated(needed: 1, remaining: 0)))
    #expect(problem(head(0x01) + [0xa0]) == MessageError(message: "authenticator data", problem: .trailingBytes(1)))
    #expect(problem(head(0x81) + [0xa0, 0xa0])?.problem == .trailingBytes(1))
  }

  @Test("extension outputs are a map")
  func extensionsAreAMap() {
    #expect(problem(head(0x81) + [0x80])?.problem == .wrongType(expected: "map", found: "array"))
    #expect(problem(head(0x81) + [0xff])?.member == "extensions")
  }

  @Test("a credential identifier of 1023 bytes is the longest")
  func credentialIDLength() throws {
    for (length, accepted) in [(0, true), (1023, true), (1024, false), (65535, false)] {
      let id = [UInt8](repeating: 5, count: length)
      let bytes =
        head(0x41) + AAGUID.zero.bytes + [UInt8(length >> 8), UInt8(length & 0xff)] + id + key.encoded()
      #expect((problem(bytes) == nil) == accepted, "\(length)")
      if !accepted {
        #expect(problem(bytes)?.problem == .wrongValue(expected: "at most 1023 bytes", found: "\(length) bytes"))
        #expect(throws: MessageError.self) {
          try AttestedCredential(aaguid: .zero, credentialID: id, publicKey: key)
        }
      }
    }
  }

  @Test("trouble in the public key is found by its place")
  func keyErrors() throws {
    let front = head(0x41) + AAGUID.zero.bytes + [0, 1, 7]
    #expect(problem(front)?.member == "credentialPublicKey")
    #expect(problem(front + [0x01])?.member == "credentialPublicKey")
    let error = problem(front + hex("a2010203" + "26"))
    #expect(error?.member == "credentialPublicKey.crv")
    #expect(error?.problem == .missing)
  }

  @Test("the RP ID hash has 32 bytes")
  func hashLength() {
    #expect(throws: MessageError.self) {
      try AuthenticatorData(rpIDHash: [1], flags: [], signCount: 0)
    }
  }
}
