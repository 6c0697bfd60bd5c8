import CTAPHID
import Synchronization
import Testing

@testable import BridgeCommands

/// Keys that are listed and cannot be reached, as a machine without hardware needs them.
struct ListedKeys: KeySource {
  var list: [KeyDescription] = []

  func keys() throws(TransportError) -> [KeyDescription] { list }
  func events() -> AsyncStream<KeyEvent> { AsyncStream { _ in } }
  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    throw .permissionDenied(key.id)
  }
}

/// A run of the command inside the test, on keys and a terminal that the test chooses.
struct InProcess: Sendable {
  struct Ending: Sendable {
    var status = ExitStatus.success
    var output = ""
    var error = ""
  }

  var usb: any KeySource = ListedKeys()
  var terminal: Terminal?
  var allowedOrigins = "/nonexistent/origins"
  /// Told of each line on stderr as it is written, on the thread that writes it.
  var onNote: @Sendable (String) -> Void = { _ in }
  var enterpriseSites = "/nonexistent/enterprise-sites"

  func run(_ arguments: String...) async -> Ending { await run(arguments) }

  func run(_ arguments: [String]) async -> Ending {
    let ending = Mutex(Ending())
    let environment = CommandEnvironment(
      terminal: terminal, usb: usb, allowedOrigins: allowedOrigins, enterpriseSites: enterpriseSites,
      output: { bytes in ending.withLock { $0.output += String(decoding: bytes, as: UTF8.self) } },
      note: { line in
        ending.withLock { $0.error += line + "\n" }
        onNote(line)
      })
    let status = await CommandLineTool.run(arguments, environment)
    ending.withLock { $0.status = status }
    return ending.withLock { $0 }
  }
}
