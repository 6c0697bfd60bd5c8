import Attestation
import CBOR
import FIDOCrypto
import Testing

@Suite("android-key attestation")
struct AndroidKeyTests {
  /// What Android's key store says of a key, in parts that a test can change.
  struct Description {
    var challenge = MadeCredential.hash
    var software: [UInt8] = []
    var purpose = der([0xa1], der([0x31], [0x02, 0x01, 0x02]))
    var origin = der([0xbf, 0x85, 0x3e], [0x02, 0x01, 0x00])
    var trailing: [UInt8] = []

    var encoded: [UInt8] {
      der(
        [0x30], [0x02, 0x01, 0x03, 0x0a, 0x01, 0x01, 0x02, 0x01, 0x04, 0x0a, 0x01, 0x01], der([0x04], challenge),
        [0x04, 0x00], der([0x30], software), der([0x30], purpose, origin)) + trailing
    }
  }

  private static func report(
    _ description: [UInt8]?, signer: SigningKey? = nil, _ change: (inout CBORMap) -> Void = { _ in }
  ) throws -> AttestationReport {
    let credential = try MadeCredential()
    let key = signer ?? credential.key
    let leaf = try Certificate.made(
      key, description.map { [(oid: "1.3.6.1.4.1.11129.2.1.17", critical: false, value: $0)] } ?? [])
    var statement: CBORMap = [
      "alg": -7, "sig": .bytes(try key.sign(credential.signed)), "x5c": .array([.bytes(leaf.der)]),
    ]
    change(&statement)
    return credential.report("android-key", statement)
  }

  @Test("verifies where the key store speaks of this key and this answer")
  func whole() throws {
    let report = try Self.report(Description().encoded)
    #expect(report.binding == .verified)
    #expect(report.certificate == .verified)
  }

  @Test("finds a statement that lacks a member", arguments: ["alg", "sig", "x5c"])
  func incomplete(_ member: String) throws {
    #expect(reason(try Self.report(Description().encoded) { $0[.text(member)] = nil }.binding) != nil)
    #expect(reason(try Self.report(Description().encoded) { $0[.text(member)] = "?" }.binding) != nil)
  }

  @Test("finds another key, another challenge and no description")
  func binding() throws {
    let other = try Self.report(Description().encoded, signer: SigningKey.generate(.es256))
    #expect(other.binding == .wrong("the key in the certificate is not the credential's"))
    let challenge = try Self.report(Description(challenge: [1]).encoded)
    #expect(challenge.binding == .wrong("the certificate's challenge is not the hash of the client data"))
    for description in [
      nil, [], [0x30, 0x00], Description(trailing: [0]).encoded, Description(software: [0x30]).encoded,
    ] {
      let none = try Self.report(description)
      #expect(none.binding == .wrong("the certificate has no key description that can be read"))
      #expect(none.certificate == .wrong("it has no key description that can be read"))
    }
    let signature = try Self.report(Description().encoded) { $0["sig"] = .bytes([1]) }
    #expect(signature.binding == .wrong("the attestation signature does not verify"))
  }

  @Test("finds a key for all applications, one from elsewhere, and one for other purposes")
  func rules() throws {
    let all = Description(software: der([0xbf, 0x84, 0x58], [0x05, 0x00]))
    #expect(try Self.report(all.encoded).certificate == .wrong("its key may be used by all applications"))
    for origin in [[], der([0xbf, 0x85, 0x3e], [0x02, 0x01, 0x02])] {
      #expect(
        try Self.report(Description(origin: origin).encoded).certificate
          == .wrong("its key was not generated in the key store"))
    }
    for purpose in [[], der([0xa1], der([0x31], [0x02, 0x01, 0x00])), der([0xa1], der([0x31], [2, 1, 2, 2, 1, 3]))] {
      #expect(
        try Self.report(Description(purpose: purpose).encoded).certificate
          == .wrong("its key is not for signing alone"))
    }
  }
}

@Suite("apple attestation")
struct AppleTests {
  private static func verdict(nonce: (MadeCredential) -> [UInt8]?, ownKey: Bool = true) throws -> AttestationVerdict {
    let credential = try MadeCredential()
    let key = ownKey ? credential.key : try SigningKey.generate(.es256)
    let value = nonce(credential)
    let leaf = try Certificate.made(
      key, value.map { [(oid: "1.2.840.113635.100.8.2", critical: false, value: $0)] } ?? [])
    return credential.report("apple", ["x5c": .array([.bytes(leaf.der)])]).binding
  }

  private static func nonce(_ credential: MadeCredential) -> [UInt8] {
    der([0x30], der([0xa1], der([0x04], Digest.sha256(credential.signed))))
  }

  @Test("verifies where the certificate was made for this key and this answer")
  func whole() throws { #expect(try Self.verdict(nonce: Self.nonce) == .verified) }

  @Test("finds another nonce, none, one that cannot be read, and another key")
  func faults() throws {
    let other = "the certificate was made for another answer: its nonce is not the hash of this one"
    #expect(try Self.verdict(nonce: { _ in nil }) == .wrong("the certificate has no nonce"))
    #expect(try Self.verdict(nonce: { _ in der([0x30], der([0xa1], der([0x04], [1]))) }) == .wrong(other))
    #expect(try Self.verdict(nonce: { Self.nonce($0) + [0] }) == .wrong(other))
    #expect(try Self.verdict(nonce: { _ in [] }) == .wrong(other))
    #expect(
      try Self.verdict(nonce: Self.nonce, ownKey: false) == .wrong("the key in the certificate is not the credential's")
    )
  }

  @Test("finds a statement without certificates")
  func noChain() throws {
    #expect(try MadeCredential().report("apple", [:]).binding == .wrong("x5c holds no certificate"))
    let list: CBORMap = ["x5c": .array(["?"])]
    #expect(try MadeCredential().report("apple", list).binding == .wrong("x5c holds no certificate"))
  }
}
