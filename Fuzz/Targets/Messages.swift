import CBOR
import CTAPMessages

extension FuzzTarget {
  /// Single messages, each read from the bytes of a frame and, where that works, written and read again.
  static let messages = [
    message("get-info", GetInfoResponse.self), message("make-credential", MakeCredentialResponse.self),
    message("get-assertion", GetAssertionResponse.self), message("client-pin", ClientPINResponse.self),
    message("credential-management", CredentialManagementResponse.self),
    message("bio-enrollment", BioEnrollmentResponse.self), message("large-blobs", LargeBlobsResponse.self),
    FuzzTarget("authenticator-data", authenticatorData), FuzzTarget("u2f", universalSecondFactor),
    FuzzTarget("requests", requestFrames),
  ]

  private static func message<Message: CTAPMessage>(_ name: String, _ type: Message.Type) -> FuzzTarget {
    FuzzTarget(name) { bytes in
      guard let (status, value) = try? CTAPResponse.decode(bytes) else { return }
      _ = (status.name, status.explanation)
      readTwice(type, value ?? .map(CBORMap()))
    }
  }

  private static func readTwice<Message: CTAPMessage>(_ type: Message.Type, _ value: CBORValue) {
    do throws(MessageError) {
      let message = try type.init(cbor: value)
      let again = try? type.init(cbor: message.cbor())
      mustHold(again == message || value.hasFloat, "written and read again, it differs")
    } catch {
      _ = "\(error)"
    }
  }

  private static func authenticatorData(_ bytes: [UInt8]) {
    guard let data = try? AuthenticatorData.parse(bytes) else { return }
    mustHold(data.encoded() == bytes, "it is written differently")
    _ = data.backup
  }

  /// Answers of U2F keys, and as what CTAP2 they are passed on; and the requests, as the virtual key reads them.
  private static func universalSecondFactor(_ bytes: [UInt8]) {
    let hash = [UInt8](repeating: 7, count: 32)
    if let frame = try? U2FResponseFrame(bytes) {
      mustHold(frame.encoded() == bytes, "the frame is written differently")
      _ = frame.status.explanation
      if let made = try? U2FRegisterResponse(frame.data) {
        _ = try? made.makeCredentialResponse(applicationParameter: hash).encoded()
      }
      if let signed = try? U2FAuthenticateResponse(frame.data) {
        _ = try? signed.getAssertionResponse(keyHandle: [1], applicationParameter: hash).encoded()
      }
    }
    if let request = try? U2FCommandFrame(bytes) {
      mustHold((try? U2FCommandFrame(request.encoded())) == request, "the request is read differently")
    }
  }

  /// Requests, as a key reads them.
  private static func requestFrames(_ bytes: [UInt8]) {
    guard let (command, value) = try? CTAPRequest.decode(bytes) else { return }
    let content = value ?? .map(CBORMap())
    switch CTAPCommand(rawValue: command) {
    case .makeCredential: readTwice(MakeCredentialRequest.self, content)
    case .getAssertion: readTwice(GetAssertionRequest.self, content)
    case .clientPIN: readTwice(ClientPINRequest.self, content)
    case .credentialManagement, .credentialManagementPreview: readTwice(CredentialManagementRequest.self, content)
    case .bioEnrollment, .bioEnrollmentPreview: readTwice(BioEnrollmentRequest.self, content)
    case .largeBlobs: readTwice(LargeBlobsRequest.self, content)
    case .config: readTwice(AuthenticatorConfigRequest.self, content)
    default: readTwice(LargeBlobEntry.self, content)
    }
  }
}
