import CTAPHID
import USBHID
import WebAuthnClient

/// What a command finds around it; tests give it other things.
struct CommandEnvironment: Sendable {
  /// The person's terminal, or nil where there is none.
  var terminal: Terminal?
  /// The program that drives the command, which is then asked in the person's place.
  var program: ProgramDialogue?
  /// The descriptor that such a program writes its answers to.
  var input: Int32 = 0
  /// The keys on the USB bus.
  var usb: any KeySource
  /// The administrator's list of origins, or nil where there is none.
  var allowedOrigins: String? = AllowedOrigins.path
  /// The administrator's list of sites that may get enterprise attestations, or nil where there is none.
  var enterpriseSites: String? = EnterpriseSites.path
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
      output: { bytes throws(SystemError) in
        // What comes out is JSON, or text that was made fit already. A file or a pipe gets the bytes as they are.
        try StandardStreams.write(StandardStreams.isTerminal(1) ? PlainText.shownJSON(bytes) : bytes, to: 1)
      },
      note: { StandardStreams.note($0) })
  }

  /// Tells a person something, on one line that cannot disturb a terminal.
  func say(_ text: String) {
    if let program { program.tell(.note(text)) } else { note(PlainText.shown(text)) }
  }

  /// Whether there is anybody who could be asked.
  var canAsk: Bool { Tape.current.wasAttended ?? (terminal != nil || program != nil) }

  /// Tells a person something that they must not miss.
  func emphasise(_ text: String) {
    guard let terminal else { return say(text) }
    note(terminal.emphasised(PlainText.shown(text)))
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
