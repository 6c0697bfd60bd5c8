internal import CTAPHID
internal import VirtualKey

/// The place where the one key of a run is plugged in, behind its line.
struct FaultSource: KeySource {
  let line: FaultLine
  let key: KeyDescription

  init(_ line: FaultLine) {
    self.line = line
    key = line.port.description(id: "key")
  }

  func keys() throws(TransportError) -> [KeyDescription] { [key] }

  func events() -> AsyncStream<KeyEvent> { AsyncStream { $0.finish() } }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport { FaultTransport(line) }
}
