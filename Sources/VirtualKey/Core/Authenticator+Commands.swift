import CBOR
import CTAPMessages

extension Authenticator {
  /// Reads a request and carries it out.
  func carryOut(_ bytes: [UInt8]) throws(Refusal) -> Outcome {
    guard let command = bytes.first else { throw Refusal(.invalidLength) }
    guard bytes.count <= profile.maxMsgSize else { throw Refusal(.requestTooLarge) }
    let known = CTAPCommand(rawValue: command)
    // getNextAssertion goes on with what the last getAssertion left; other work in between ends that.
    if known != .getNextAssertion, known != .getInfo { remembered = nil }
    if known != .credentialManagement, known != .credentialManagementPreview, known != .getInfo { listing = nil }
    switch known {
    case .getInfo: return getInfo()
    case .makeCredential: return try makeCredential(read(bytes))
    case .getAssertion: return try getAssertion(read(bytes))
    case .getNextAssertion: return try getNextAssertion()
    case .clientPIN where profile.hasPINProtocols: return try clientPIN(read(bytes))
    case .reset: return try reset()
    case .largeBlobs where profile.hasLargeBlobs: return try largeBlobs(readLargeBlobs(bytes))
    case .config where profile.option(.authnrCfg) == true: return try config(read(bytes))
    case .bioEnrollment where profile.option(.bioEnroll) != nil: return try bioEnrollment(read(bytes))
    case .bioEnrollmentPreview where profile.option(.userVerificationMgmtPreview) != nil:
      return try bioEnrollment(read(bytes))
    case .credentialManagement where profile.option(.credMgmt) == true:
      return try credentialManagement(read(bytes), isPreview: false)
    case .credentialManagementPreview where profile.option(.credentialMgmtPreview) == true:
      return try credentialManagement(read(bytes), isPreview: true)
    case .selection where profile.isCTAP21: return try selection()
    default: throw Refusal(.invalidCommand)
    }
  }

  /// Here a missing parameter, which can only be the offset, has a status of its own (CTAP 2.1 §6.10.2 step 1).
  private func readLargeBlobs(_ bytes: [UInt8]) throws(Refusal) -> LargeBlobsRequest {
    do throws(Refusal) {
      return try read(bytes)
    } catch {
      throw error.status == .missingParameter ? Refusal(.invalidParameter) : error
    }
  }

  private func read<Message: CTAPMessage>(_ bytes: [UInt8]) throws(Refusal) -> Message {
    do throws(MessageError) {
      guard let parameters = try CTAPRequest.decode(bytes, mode: .strict).parameters else {
        throw MessageError(message: Message.messageName, problem: .missing)
      }
      return try Message(cbor: parameters)
    } catch {
      throw Refusal(error)
    }
  }
}
