import CBOR
import CTAPMessages
import Testing

@Suite("The bytes in python-fido2's tests")
struct PythonFIDO2Tests {
  @Test("getInfo has the values that python-fido2 reads in it")
  func getInfo() throws {
    let bytes = Vectors.python("getInfo")
    let info = try GetInfoResponse(cbor: CBORDecoder.decode(bytes))
    #expect(info.versions == ["U2F_V2", "FIDO_2_0"])
    #expect(info.extensions == ["uvm", "hmac-secret"])
    #expect(info.aaguid.description == "f8a011f3-8c0a-4d15-8006-17111f9edc7d")
    #expect(info.options == ["rk": true, "up": true, "plat": false, "clientPin": false])
    #expect(info.maxMsgSize == 1200)
    #expect(info.pinUvAuthProtocols == [1])
    #expect(info.additional.isEmpty)
    // Its options come in an order of their own (rk, up, plat, clientPin is sorted by length): nothing changes.
    #expect(info.encoded() == bytes)
  }

  @Test("a member that is not known is kept and written back")
  func extraMember() throws {
    let bytes = Vectors.python("getInfoWithExtraMember")
    let info = try GetInfoResponse(cbor: CBORDecoder.decode(bytes))
    #expect(info.additional == [0x63: 1234])
    #expect(info.encoded() == bytes)
  }

  @Test("authenticator data of a registration has the credential in it")
  func registrationData() throws {
    let bytes = Vectors.python("authDataOfMakeCredential")
    let data = try AuthenticatorData.parse(bytes)
    #expect(data.rpIDHash == Vectors.python("rpIdHash"))
    #expect(data.flags == [.userPresent, .attestedCredential])
    #expect(data.signCount == 28)
    #expect(data.extensions == nil)
    let credential = try #require(data.attestedCredential)
    #expect(credential.aaguid.description == "f8a011f3-8c0a-4d15-8006-17111f9edc7d")
    #expect(credential.credentialID == Vectors.python("credentialId"))
    #expect(credential.publicKey.kty == 2)
    #expect(credential.publicKey.x == hex("643566c206dd00227005fa5de69320616ca268043a38f08bde2e9dc45a5cafaf"))
    #expect(credential.publicKey.y == hex("171353b2932434703726aae579fa6542432861fe591e481ea22d63997e1a5290"))
    let rebuilt = try AttestedCredential(
      aaguid: credential.aaguid, credentialID: credential.credentialID, publicKey: credential.publicKey)
    #expect(rebuilt == credential)
    #expect(Array(data.encoded().dropFirst(37)) == Vectors.python("attestedCredential"))
    #expect(data.encoded() == bytes)
  }

  @Test("authenticator data of an assertion is its first 37 bytes and no more")
  func assertionData() throws {
    let bytes = Vectors.python("authDataOfGetAssertion")
    let data = try AuthenticatorData.parse(bytes)
    #expect(data.flags == .userPresent)
    #expect(data.signCount == 29)
    #expect(data.attestedCredential == nil)
    #expect(data.encoded() == bytes)
  }

  @Test(
    "makeCredential responses are read and written back",
    arguments: ["makeCredentialResponse", "packedMakeCredentialResponse"])
  func makeCredential(name: String) throws {
    let bytes = Vectors.python(name)
    let response = try MakeCredentialResponse(cbor: CBORDecoder.decode(bytes))
    #expect(response.fmt == "packed")
    #expect(Set(try #require(response.attStmt).keys) == ["alg", "sig", "x5c"])
    #expect(response.epAtt == nil)
    // The statements come as alg, sig, x5c, which is canonical.
    #expect(response.encoded() == bytes)
    #expect(AttestationObject(response).authData == response.authData)
  }

  @Test("a getAssertion response is read and written back")
  func getAssertion() throws {
    let bytes = Vectors.python("getAssertionResponse")
    let response = try GetAssertionResponse(cbor: CBORDecoder.decode(bytes))
    #expect(response.credential == CredentialDescriptor(id: Vectors.python("credentialId")))
    #expect(response.authData.encoded() == Vectors.python("authDataOfGetAssertion"))
    #expect(response.signature == Vectors.python("signature"))
    #expect(response.user == nil)
    #expect(response.numberOfCredentials == nil)
    #expect(response.encoded() == bytes)
  }
}
