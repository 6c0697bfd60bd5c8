import Octets
import VirtualKey
import WebAuthnClient

/// The touch of a virtual key that asks: at a terminal Enter touches it, and "n" declines.
enum TouchPrompt {
  static func ask(_ request: TouchRequest, _ environment: CommandEnvironment) {
    Task {
      if let program = environment.program { await ask(request, program) }
      guard let terminal = environment.terminal else { return }
      let site = request.rpID.map { " for \(RelyingPartyID.shown($0))" } ?? ""
      let prompt = "Virtual key\(site): press Enter to touch it, n and Enter to decline: "
      guard let answer = await terminal.line(prompt: prompt, echo: true) else { return }
      if answer.withBytes({ $0.first == UInt8(ascii: "n") || $0.first == UInt8(ascii: "N") }) {
        request.decline()
      } else {
        request.approve()
      }
    }
  }

  private static func ask(_ request: TouchRequest, _ program: ProgramDialogue) async {
    let isTouched = try? await program.ask({ .virtualTouchNeeded($0, relyingPartyID: request.rpID) }) {
      (value) throws(AnswerRefusal) in
      guard case .bool(let isTouched) = value else {
        throw AnswerRefusal("The value is true to touch the key, or false to decline.")
      }
      return isTouched
    }
    guard let isTouched else { return }
    if isTouched { request.approve() } else { request.decline() }
  }
}
