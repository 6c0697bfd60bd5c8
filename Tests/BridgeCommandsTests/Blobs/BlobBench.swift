import CTAPHID
import Foundation
import JSONText
import Octets
import Testing
import Timing
import VirtualKey
import WebAuthnClient

@testable import BridgeCommands

/// A key that stays plugged in from one command to the next, with credentials that have large-blob keys.
struct BlobBench {
  let port: VirtualKeyPort
  let folder: Scratch
  let process: InProcess
  /// The credentials' IDs, in base64url.
  private(set) var ids: [String] = []

  /// Makes the key and a credential for each of the accounts, at example.org.
  init(pin: String? = "1234", accounts: [String] = ["alice", "bob"]) async throws {
    folder = try Scratch()
    try folder.write("pin", (pin ?? "1234") + "\n")
    let configuration = VirtualKeyConfiguration(pin: pin.map { SecretBytes(Array($0.utf8)) })
    port = try VirtualKeyPort(configuration: configuration, clock: SystemClock())
    process = InProcess(usb: VirtualKeySource(port))
    for (index, account) in accounts.enumerated() {
      let options = try Requests.options(
        #"""
        {"user":{"id":"AAE\#(index)","name":"\#(account)","displayName":"\#(account.capitalized)"},
        "authenticatorSelection":{"residentKey":"required","userVerification":"preferred"},"extensions":{"largeBlob":{}}}
        """#)
      let made = await run("register", try folder.write("request", options), "--origin", Requests.origin)
      #expect(made.status == .success, "\(made.error)")
      ids.append(try #require(try JSONDocument(parsing: Array(made.output.utf8)).root["id"]?.stringValue))
    }
  }

  /// Runs a command on the key, with its PIN.
  func run(_ arguments: String...) async -> InProcess.Ending {
    await process.run(arguments + ["--no-wait", "--pin-file", folder["pin"]])
  }

  /// Writes data to a file and returns its path.
  func file(_ data: [UInt8]) throws -> String {
    try Data(data).write(to: URL(fileURLWithPath: folder["data"]))
    return folder["data"]
  }
}
