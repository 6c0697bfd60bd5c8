import CTAPHID
import CTAPMessages

/// A U2F request that ends with a status other than success.
struct U2FRefusal: Error, Hashable {
  let status: U2FStatus

  init(_ status: U2FStatus) { self.status = status }
}

// U2F (FIDO U2F Raw Message Formats 1.2): every request is answered at once, and one that needs a touch is polled.
extension Authenticator {
  /// Carries out a request of CTAPHID_MSG and returns its answer.
  func answerU2F(_ request: [UInt8], channel: ChannelID) -> [UInt8] {
    let instruction = request.count > 1 ? request[1] : 0
    log.add(.u2fCommand(instruction, channel, size: request.count))
    // What the last getAssertion left for getNextAssertion ends with other work.
    remembered = nil
    var frame = U2FResponseFrame()
    do throws(U2FRefusal) {
      frame.data = try carryOutU2F(request, channel)
    } catch {
      frame.status = error.status
    }
    let answer = frame.encoded()
    log.add(.u2fAnswered(instruction, frame.status, size: answer.count))
    return answer
  }

  private func carryOutU2F(_ request: [UInt8], _ channel: ChannelID) throws(U2FRefusal) -> [UInt8] {
    // U2F cannot verify anybody, so alwaysUv forbids all of it (CTAP 2.1 §7.2).
    if alwaysUV { throw U2FRefusal(.commandNotAllowed) }
    guard request.count >= 4 else { throw U2FRefusal(.wrongLength) }
    guard request[0] == 0 else { throw U2FRefusal(.claNotSupported) }
    switch request[1] {
    case U2FInstruction.register: return try u2fRegister(read(request, U2FRegisterRequest.init), channel)
    case U2FInstruction.authenticate: return try u2fAuthenticate(read(request, U2FAuthenticateRequest.init), channel)
    case U2FInstruction.version:
      guard try read(request, \.data).isEmpty else { throw U2FRefusal(.wrongLength) }
      return Array(VirtualKeyProfile.u2fVersion.utf8)
    default: throw U2FRefusal(.insNotSupported)
    }
  }

  private func read<Message>(
    _ request: [UInt8], _ message: (U2FCommandFrame) throws(MessageError) -> Message
  ) throws(U2FRefusal) -> Message {
    do throws(MessageError) {
      return try message(U2FCommandFrame(request))
    } catch {
      throw U2FRefusal(.wrongLength)
    }
  }

  /// Does what U2F and CTAP2 do alike; U2F has one word for all that can go wrong there.
  func u2f<Value>(_ work: () throws(Refusal) -> Value) throws(U2FRefusal) -> Value {
    do throws(Refusal) {
      return try work()
    } catch {
      throw U2FRefusal(.other)
    }
  }
}
