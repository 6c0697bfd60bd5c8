import CBOR
import CTAPMessages
import FIDOCrypto
import Testing

@testable import VirtualKey

@Suite("makeCredential")
struct MakeCredentialTests {
  @Test("each algorithm gives a packed attestation that verifies", arguments: [-7, -8, -35, -36, -257])
  func algorithms(_ algorithm: Int) throws {
    let key = try TestKey()
    let response = try key.make(.sample(algorithms: [-65535, algorithm]))
    #expect(response.fmt == "packed")
    #expect(response.authData.rpIDHash == Digest.sha256(Array("example.org".utf8)))
    #expect(response.authData.flags == [.userPresent, .attestedCredential])
    #expect(response.authData.signCount == 1)
    #expect(response.authData.attestedCredential?.aaguid == VirtualKeyProfile.standardAAGUID)
    #expect(response.coseKey?.alg == algorithm)

    let statement = try #require(response.attStmt)
    let chain = try #require(statement["x5c"]?.arrayValue)
    let certificate = try Certificate(der: try #require(chain.first?.bytesValue))
    let signature = try #require(statement["sig"]?.bytesValue)
    #expect(statement["alg"] == -7)
    #expect(
      try certificate.publicKey().verifies(
        signature, of: response.authData.encoded() + testHash, algorithm: .es256))
    #expect(
      certificate.extensionValue(oid: Certificate.aaguidExtension)
        == [0x04, 0x10] + VirtualKeyProfile.standardAAGUID.bytes)

    let assertion = try key.get(.sample(allow: [response.id]))
    #expect(try assertion.verifies(with: response))
    #expect(assertion.authData.signCount == 2)
  }
}
