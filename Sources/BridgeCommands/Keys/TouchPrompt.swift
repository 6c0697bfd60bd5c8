import Octets
import VirtualKey
import WebAuthnClient

/// The touch of a virtual key that asks: Enter touches it, "n" declines.
enum TouchPrompt {
  static func ask(_ request: TouchRequest, at terminal: Terminal) {
    Task {
      let site = request.rpID.map { " for \($0)" } ?? ""
      let prompt = "Virtual key\(site): press Enter to touch it, n and Enter to decline: "
      guard let answer = await terminal.line(prompt: prompt, echo: true) else { return }
      if answer.withBytes({ $0.first == UInt8(ascii: "n") || $0.first == UInt8(ascii: "N") }) {
        request.decline()
      } else {
        request.approve()
      }
    }
  }
}
