import Octets
import WebAuthnClient

/// Where a response goes: stdout or a file.
///
/// What a key has done is done, so a response that cannot be delivered is saved and its path is told.
struct ResponseDelivery {
  private let output: OutputFile?
  private let environment: CommandEnvironment

  /// Opens the place before a key is touched; where that fails, nothing is created.
  init(path: String?, _ environment: CommandEnvironment) throws(CommandFailure) {
    self.environment = environment
    guard let path, path != "-" else {
      output = nil
      do throws(SystemError) {
        try environment.checkOutput()
      } catch {
        throw CommandFailure(
          "OperationError", "stdout cannot be written: \(error.message). Nothing was done on a key.", .cannotCreate)
      }
      return
    }
    output = try OutputFile(path: path)
  }

  /// Writes the response, or saves it where that fails.
  func deliver(_ response: RegistrationResponse) throws(CommandFailure) {
    let identifier = Base64URL.encode(response.credentialID)
    let rescue = Rescue(
      bytes: response.json(pretty: false) + [UInt8(ascii: "\n")], name: "registration-\(identifier.prefix(16))",
      fact: ", and a credential with the ID \(identifier) exists on the key now")
    try write(rescue, failing: .credentialExists)
  }

  /// Writes the response to a sign-in, or saves it: what it stored on the key or read there may not come again.
  func deliver(_ response: AuthenticationResponse) throws(CommandFailure) {
    let identifier = Base64URL.encode(response.credentialID)
    let rescue = Rescue(
      bytes: response.json(pretty: false) + [UInt8(ascii: "\n")], name: "authentication-\(identifier.prefix(16))",
      fact: "")
    try write(rescue, failing: .inputOutput)
  }

  private func write(_ rescue: Rescue, failing status: ExitStatus) throws(CommandFailure) {
    // A write may wait for a reader for as long as it likes; whoever loses patience must not lose the response.
    let duty = ExitCleanup.add { [environment] in environment.say(rescue.sentence(because: "The command was stopped")) }
    do throws(SystemError) {
      if let output { try output.commit(rescue.bytes) } else { try environment.output(rescue.bytes) }
      ExitCleanup.forget(duty)
    } catch {
      ExitCleanup.forget(duty)
      let place = output == nil ? "stdout" : "the output file"
      throw CommandFailure(
        "OperationError", rescue.sentence(because: "The response cannot be written to \(place) (\(error.message))"),
        status)
    }
  }

  /// A response on its way into the state folder.
  private struct Rescue: Sendable {
    let bytes: [UInt8]
    /// The beginning of the file's name.
    let name: String
    /// What else there is to know.
    let fact: String

    /// Saves the response and says where; where even that fails, the response itself is in the sentence.
    func sentence(because reason: String) -> String {
      do throws(SystemError) {
        return "\(reason)\(fact); the response was saved in \(try StateFolder.save(bytes, name: name))."
      } catch {
        let response = String(decoding: bytes.dropLast(), as: UTF8.self)
        return "\(reason)\(fact). Saving the response failed too (\(error.message)); this is it: \(response)"
      }
    }
  }
}
