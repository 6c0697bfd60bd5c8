import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing

@testable import CTAP2

@Suite("A question to hmac-secret")
struct HMACSecretTests {
  private func secret(_ file: JSONValue, _ version: PINUVAuthProtocol) throws -> SharedSecret {
    let key = try file.member("authenticator_key_agreement_public_key")
    return try SharedSecret(
      version: version, with: COSEKey.keyAgreement(x: try key.hex("x"), y: try key.hex("y")),
      platform: try P256KeyAgreement(
        privateScalar: SecretBytes(try file.hex("platform_key_agreement_private_key"))))
  }

  @Test("is encrypted, and its answer read, as in the W3C vectors", arguments: 0..<3)
  func vectors(_ index: Int) throws {
    let file = try Vectors.json("prf-hmac-secret")
    let vector = try #require(file["cases"]?.elements)[index]
    let number = try #require(vector["pinUvAuthProtocol"]?.integerValue)
    let version = try #require(PINUVAuthProtocol(rawValue: number))
    let secret = try secret(file, version)
    var salts = try vector.hex("salt1")
    var outputs = try vector.hex("output1")
    if vector["salt2"] != nil {
      salts += try vector.hex("salt2")
      outputs += try vector.hex("output2")
    }
    let encrypted = try vector.hex("salt_enc")
    let question = try HMACSecretQuestion(
      salts: SecretBytes(salts), secret: secret, random: FixedRandom([Array(encrypted.prefix(16))]))
    let input = try #require(question.input.mapValue)
    #expect(input[1] == secret.platformKey.cbor())
    #expect(input[2]?.bytesValue == encrypted)
    #expect(input[3]?.bytesValue == secret.authenticate(encrypted))
    #expect(input[3]?.bytesValue?.count == version.parameterSize)
    #expect(input[4]?.intValue == (version == .two ? 2 : nil))
    #expect(try question.outputs(try vector.hex("output_enc")).exposed() == outputs)
  }

  @Test("takes salts of 32 and 64 bytes, and answers of the same size")
  func sizes() throws {
    let file = try Vectors.json("prf-hmac-secret")
    let secret = try secret(file, .two)
    for size in [0, 16, 31, 33, 48, 96] {
      #expect(throws: CTAP2Error.self) {
        try HMACSecretQuestion(
          salts: SecretBytes([UInt8](repeating: 0, count: size)), secret: secret, random: FixedRandom([[1]]))
      }
    }
    let question = try HMACSecretQuestion(
      salts: SecretBytes([UInt8](repeating: 0, count: 32)), secret: secret, random: FixedRandom([[1]]))
    let two = try #require(file["cases"]?.elements)[1]
    #expect(throws: CTAP2Error.self) { try question.outputs(try two.hex("output_enc")) }
    #expect(throws: CTAP2Error.self) { try question.outputs([]) }
  }
}
