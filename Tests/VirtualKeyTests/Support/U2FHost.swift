import CTAPHID
import CTAPMessages
import FIDOCrypto
import Testing

@testable import VirtualKey

let testApplication = Digest.sha256(Array("example.org".utf8))

extension TestKey {
  /// Sends a U2F frame.
  func u2f(_ frame: U2FCommandFrame) throws -> U2FResponseFrame {
    try U2FResponseFrame(message(.msg, frame.encoded()))
  }

  func register(application: [UInt8] = testApplication) throws -> U2FResponseFrame {
    try u2f(U2FRegisterRequest(challengeParameter: testHash, applicationParameter: application).frame())
  }

  /// Registers a credential, which must succeed.
  func registered(application: [UInt8] = testApplication) throws -> U2FRegisterResponse {
    let answer = try register(application: application)
    try #require(answer.status == .noError)
    return try U2FRegisterResponse(answer.data)
  }

  func authenticate(
    _ handle: [UInt8], _ control: U2FAuthenticateRequest.Control = .enforceUserPresenceAndSign,
    application: [UInt8] = testApplication
  ) throws -> U2FResponseFrame {
    let request = try #require(
      U2FAuthenticateRequest(
        control, challengeParameter: testHash, applicationParameter: application, keyHandle: handle))
    return try u2f(request.frame())
  }
}

extension U2FRegisterResponse {
  var cryptoKey: PublicKey {
    .elliptic(.p256, x: Array(userPublicKey[1..<33]), y: Array(userPublicKey[33...]))
  }

  /// Whether the certificate's key signed the registration (FIDO U2F Raw Message Formats 1.2 §4.3).
  func isAttested(application: [UInt8] = testApplication, challenge: [UInt8] = testHash) throws -> Bool {
    try Certificate(der: attestationCertificate).publicKey().verifies(
      signature, of: [0] + application + challenge + keyHandle + userPublicKey, algorithm: .es256)
  }

  /// Whether this credential signed the answer (FIDO U2F Raw Message Formats 1.2 §5.4).
  func signed(_ answer: U2FResponseFrame, application: [UInt8] = testApplication) throws -> Bool {
    let response = try U2FAuthenticateResponse(answer.data)
    return try cryptoKey.verifies(
      response.signature, of: application + answer.data.prefix(5) + testHash, algorithm: .es256)
  }
}
