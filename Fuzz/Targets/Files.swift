import CBOR
import Recordings

@testable import VirtualKey

extension FuzzTarget {
  /// Files that the command reads.
  static let files = [FuzzTarget("recording", recording), FuzzTarget("key-store", keyStore)]

  private static func recording(_ bytes: [UInt8]) {
    guard let recording = try? Recording(parsing: bytes) else { return }
    guard let again = try? Recording(parsing: recording.text) else { fatalError("what was written is not read") }
    mustHold(again.header == recording.header && again.events == recording.events, "written and read again, it differs")
  }

  /// The file that a virtual key keeps its state in.
  private static func keyStore(_ bytes: [UInt8]) {
    guard let value = try? CBORDecoder.decode(bytes) else { return }
    _ = try? VirtualKeyState(cbor: value)
  }
}
