import CTAPHID
import USBHID

/// What a command finds around it; tests give it other things.
struct CommandEnvironment: Sendable {
  /// The person's terminal, or nil where there is none.
  let terminal: Terminal?
  /// The keys on the USB bus.
  let usb: any KeySource
  /// Writes the result to stdout.
  let output: @Sendable ([UInt8]) throws(SystemError) -> Void
  /// Writes one line for people to stderr.
  let note: @Sendable (String) -> Void

  /// The environment of the process.
  static func ofProcess() -> CommandEnvironment {
    CommandEnvironment(
      terminal: Terminal(), usb: USBKeySource(),
      output: { bytes throws(SystemError) in try StandardStreams.write(bytes, to: 1) },
      note: { StandardStreams.note($0) })
  }

  /// Writes a result that ends with a line feed, or says that output was lost.
  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) {
      try output(bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")])
    } catch {
      throw CommandFailure("NotReadableError", "stdout cannot be written: \(error.message)", .inputOutput)
    }
  }

  /// Writes text that ends with a line feed.
  func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }
}
