import CTAPHID
import USBHID
import WebAuthnClient

/// What a command finds around it; tests give it other things.
struct CommandEnvironment: Sendable {
  /// The person's terminal, or nil where there is none.
  let terminal: Terminal?
  /// The keys on the USB bus.
  let usb: any KeySource
  /// The administrator's list of origins.
  var allowedOrigins = AllowedOrigins.path
  /// Throws where stdout cannot be written to, before anything depends on it.
  var checkOutput: @Sendable () throws(SystemError) -> Void = {}
  /// Writes the result to stdout.
  let output: @Sendable ([UInt8]) throws(SystemError) -> Void
  /// Writes one line to stderr as it is.
  let note: @Sendable (String) -> Void

  /// The environment of the process.
  static func ofProcess() -> CommandEnvironment {
    CommandEnvironment(
      terminal: Terminal(), usb: USBKeySource(),
      checkOutput: { () throws(SystemError) in try StandardStreams.checkWritable(1) },
      output: { bytes throws(SystemError) in try StandardStreams.write(bytes, to: 1) },
      note: { StandardStreams.note($0) })
  }

  /// Tells a person something, on one line that cannot disturb a terminal.
  func say(_ text: String) { note(PlainText.shown(text)) }

  /// Tells a person something that they must not miss.
  func emphasise(_ text: String) {
    let text = PlainText.shown(text)
    note(terminal?.emphasised(text) ?? text)
  }

  /// Writes a result that ends with a line feed, or says that output was lost.
  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) {
      try output(bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")])
    } catch {
      throw CommandFailure("OperationError", "The result cannot be written to stdout: \(error.message).", .inputOutput)
    }
  }

  /// Writes text that ends with a line feed.
  func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }
}
