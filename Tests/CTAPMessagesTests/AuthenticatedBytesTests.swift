import CBOR
import CTAPMessages
import Testing

@Suite("What a PIN/UV token authenticates")
struct AuthenticatedBytesTests {
  let ff = [UInt8](repeating: 0xff, count: 32)

  @Test("credential management: the subcommand and its parameters")
  func credentialManagement() {
    #expect(CredentialManagementRequest(.getCredsMetadata).authenticatedBytes == [0x01])
    let parameters = CredentialManagementParameters(rpIDHash: [0xaa, 0xbb])
    #expect(
      CredentialManagementRequest(.enumerateCredentialsBegin, parameters).authenticatedBytes
        == hex("04a10142aabb"))
  }

  @Test("bio enrolment: the modality, the subcommand and its parameters")
  func bioEnrollment() {
    #expect(BioEnrollmentRequest(.enumerateEnrollments).authenticatedBytes == [0x01, 0x04])
    let parameters = BioEnrollmentParameters(templateID: [7], timeoutMilliseconds: 10)
    #expect(
      BioEnrollmentRequest(.enrollCaptureNextSample, parameters).authenticatedBytes == hex("0102a2014107030a"))
    #expect(BioEnrollmentRequest.modalityRequest.cbor() == [6: true])
    #expect(BioEnrollmentRequest.modalityRequest.authenticatedBytes == [0, 0])
  }

  @Test("large blobs: a prefix, the offset with its least significant byte first, and the hash")
  func largeBlobs() {
    let request = LargeBlobsRequest(set: [1], offset: 0x0102)
    #expect(request.authenticatedBytes(hashOfSet: [0x5a]) == ff + hex("0c00020100005a"))
  }

  @Test("configuration: a prefix, the subcommand and its parameters")
  func config() {
    #expect(AuthenticatorConfigRequest(.toggleAlwaysUv).authenticatedBytes == ff + [0x0d, 0x02])
    let minimum = SetMinPINLengthParameters(newMinPINLength: 8, forceChangePin: true)
    #expect(
      AuthenticatorConfigRequest(.setMinPINLength, .setMinPINLength(minimum)).authenticatedBytes
        == ff + hex("0d03a2010803f5"))
    let vendor = VendorPrototypeParameters(vendorCommandID: 1, additional: [2: true])
    #expect(
      AuthenticatorConfigRequest(.vendorPrototype, .vendorPrototype(vendor)).authenticatedBytes
        == ff + hex("0dffa2010102f5"))
  }
}
