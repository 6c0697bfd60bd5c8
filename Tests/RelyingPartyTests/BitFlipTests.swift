import CBOR
import CTAPMessages
import Foundation
import RelyingParty
import Testing

/// One bit at a time of everything that a ceremony returns: whatever a signature, a hash or the request covers is found.
///
/// Every bit of what the credential signs, and of its signature, is flipped in every vector; of the attestation object in
/// a vector of each format, since the others differ in nothing but the kind of the credential's key. Elsewhere, and inside
/// certificates, it is one bit in each byte, another one in each. `BIT_FLIPS=every` flips all of them, in half a minute.
@Suite("One flipped bit")
struct BitFlipTests {
  private static let everywhere = ProcessInfo.processInfo.environment["BIT_FLIPS"] == "every"
  private static let formats: Set<String> = [
    "none-es256", "packed-self-es256", "packed-es256", "tpm-es256", "android-key-es256", "apple-es256",
    "fido-u2f-es256",
  ]

  private static func brief(_ vector: W3CVector) -> RelyingPartyPolicy {
    var policy = vector.policy
    policy.stopsAtFirstFailure = true
    return policy
  }

  /// All bits of so many bytes, but one in each of the `sparse` ones.
  private static func bits(_ count: Int, sparse: Range<Int> = 0..<0) -> [Int] {
    (0..<count * 8).filter { everywhere || !sparse.contains($0 / 8) || $0 % 8 == $0 / 8 * 3 % 8 }
  }

  @Test("in what a sign-in's signature covers, or in the signature, is found", arguments: W3CVector.all)
  func authentications(_ vector: W3CVector) throws {
    let record = try vector.record()
    let policy = Self.brief(vector)
    func passing(_ part: WritableKeyPath<ReceivedAuthentication, [UInt8]>, _ bits: [Int]) -> [Int] {
      bits.filter { bit in
        var spoiled = vector.authentication
        spoiled[keyPath: part] = spoiled[keyPath: part].flipping(bit)
        return spoiled.verify(vector.authenticationRequest, policy, credential: record).passed
      }
    }
    let whole = vector.authentication
    #expect(passing(\.authenticatorData, Self.bits(whole.authenticatorData.count)) == [])
    #expect(passing(\.signature, Self.bits(whole.signature.count)) == [])
    #expect(passing(\.clientDataJSON, Self.bits(whole.clientDataJSON.count)) == [])
  }

  @Test("in a registration's attestation object is found wherever anything covers it", arguments: W3CVector.all)
  func attestations(_ vector: W3CVector) throws {
    let policy = Self.brief(vector)
    let whole = vector.registration.attestationObject
    let object = try AttestationObject(cbor: CBORDecoder.decode(whole))
    let certificate = try object.attStmt["x5c"]?.arrayValue?.first?.bytesValue.map { try range(of: $0, in: whole) }
    let sparse = Self.formats.contains(vector.id) ? certificate ?? 0..<0 : whole.indices
    let passing = Self.bits(whole.count, sparse: sparse).filter { bit in
      var spoiled = vector
      spoiled.registration.attestationObject = whole.flipping(bit)
      return spoiled.verifyRegistration(policy).passed
    }
    // The bytes in which a flipped bit may pass, which the tests name so that nothing else does.
    let data = try range(of: object.authData.encoded(), in: whole).lowerBound
    let flagsCounterModel = Set(data + 32..<data + 53)
    switch object.fmt {
    case "fido-u2f":
      #expect(Set(passing.map { $0 / 8 }).isSubset(of: flagsCounterModel), "its signature covers neither")
    case "none":
      // Another format's name is not known, which is no fault; the name begins at the sixth byte.
      #expect(Set(passing.map { $0 / 8 }).isSubset(of: flagsCounterModel.union(6..<10)), "it has no signature")
    default: #expect(passing == [])
    }
  }

  @Test("in a registration's client data is found", arguments: W3CVector.all)
  func clientData(_ vector: W3CVector) throws {
    let policy = Self.brief(vector)
    let whole = vector.registration.clientDataJSON
    let passing = Self.bits(whole.count, sparse: whole.indices).filter { bit in
      var spoiled = vector
      spoiled.registration.clientDataJSON = whole.flipping(bit)
      return spoiled.verifyRegistration(policy).passed
    }
    guard vector.id.hasPrefix("none") else {
      #expect(passing == [])
      return
    }
    // Without a signature only what the request says is found: not crossOrigin's name, and nothing behind its value.
    let text = String(decoding: whole, as: UTF8.self)
    let covered = try #require(text.range(of: #","crossOrigin":"#)).lowerBound.utf16Offset(in: text)
    #expect(passing.allSatisfy { $0 / 8 > covered })
  }

  private func range(of part: [UInt8], in whole: [UInt8]) throws -> Range<Int> {
    let found = try #require(Data(whole).range(of: Data(part)))
    return found.lowerBound..<found.upperBound
  }
}
