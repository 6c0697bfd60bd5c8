import Octets
import WebAuthnClient

/// Where a response goes: stdout or a file.
///
/// A registration belongs to a credential that exists, so one that cannot be delivered is saved and its path is told.
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
    let bytes = response.json(pretty: false) + [UInt8(ascii: "\n")]
    let rescue = Rescue(bytes: bytes, credentialID: Base64URL.encode(response.credentialID))
    // A write may wait for a reader for as long as it likes; whoever loses patience must not lose the credential.
    let duty = ExitCleanup.add { [environment] in environment.say(rescue.sentence(because: "The command was stopped")) }
    do throws(SystemError) {
      if let output { try output.commit(bytes) } else { try environment.output(bytes) }
      ExitCleanup.forget(duty)
    } catch {
      ExitCleanup.forget(duty)
      let place = output == nil ? "stdout" : "the output file"
      throw CommandFailure(
        "OperationError", rescue.sentence(because: "The response cannot be written to \(place) (\(error.message))"),
        .credentialExists)
    }
  }

  /// Writes the response to a sign-in; where that fails nothing is lost, because signing in again gives another.
  func deliver(_ response: AuthenticationResponse) throws(CommandFailure) {
    let bytes = response.json(pretty: false) + [UInt8(ascii: "\n")]
    do throws(SystemError) {
      if let output { try output.commit(bytes) } else { try environment.output(bytes) }
    } catch {
      let place = output == nil ? "stdout" : "the output file"
      throw CommandFailure(
        "OperationError", "The response cannot be written to \(place) (\(error.message)). Sign in again.", .inputOutput)
    }
  }

  /// A response on its way into the state folder.
  private struct Rescue: Sendable {
    let bytes: [UInt8]
    let credentialID: String

    /// Saves the response and says where; where even that fails, the response itself is in the sentence.
    func sentence(because reason: String) -> String {
      let fact = "\(reason), and a credential with the ID \(credentialID) exists on the key now"
      do throws(SystemError) {
        let path = try StateFolder.save(bytes, name: "registration-\(credentialID.prefix(16))")
        return "\(fact); the response was saved in \(path)."
      } catch {
        let response = String(decoding: bytes.dropLast(), as: UTF8.self)
        return "\(fact). Saving the response failed too (\(error.message)); this is it: \(response)"
      }
    }
  }
}
