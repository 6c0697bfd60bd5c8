import CTAPMessages
import FIDOCrypto
import Foundation
import JSONText
import Octets
import Testing
import VirtualKey

@testable import BridgeCommands

@Suite("Secrets in what is written")
struct SpokenSecretsTests {
  private static func drawn() -> String {
    String((0..<12).compactMap { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() })
  }

  /// Bytes in the ways in which they might be written.
  private static func forms(_ bytes: [UInt8]) -> [[UInt8]] {
    let base64 = Data(bytes).base64EncodedString()
    let hexadecimal = Hex.encode(bytes)
    return [bytes] + [hexadecimal, hexadecimal.uppercased(), base64, Base64URL.encode(bytes)].map { Array($0.utf8) }
  }

  /// A command, which file has the PIN for it, and how it ends.
  private struct Step {
    let words: [String]
    let pin: String?
    let status: BridgeCommands.ExitStatus

    init(_ words: [String], _ pin: String?, _ status: BridgeCommands.ExitStatus) {
      (self.words, self.pin, self.status) = (words, pin, status)
    }
  }

  /// The commands of a key's life, with names of files; `old` and `new` have its PINs, `wrong` has neither.
  private static let steps: [Step] = [
    Step(["pin", "set", "--new-pin-file", "old"], nil, .success), Step(["pin", "status"], nil, .success),
    Step(["register", "creation", "--origin", Requests.origin, "--output", "response"], "old", .success),
    Step(["register", "creation", "--origin", Requests.origin], "wrong", .pin),
    Step(["authenticate", "request", "--origin", Requests.origin], "old", .success),
    Step(["credentials", "list", "--json"], "old", .success), Step(["credentials", "list"], "wrong", .pin),
    Step(["fingerprints", "add", "--name", "Thumb"], "old", .success), Step(["fingerprints", "list"], "old", .success),
    Step(["config", "always-uv", "on"], "old", .success), Step(["pin", "min-length", "6"], "old", .success),
    Step(["pin", "change", "--new-pin-file", "new"], "wrong", .pin),
    Step(["pin", "change", "--new-pin-file", "new"], "old", .success),
    Step(["credentials", "list"], "new", .success), Step(["pin", "force-change"], "new", .success),
    Step(["info"], nil, .success), Step(["list"], nil, .success), Step(["ping"], nil, .success),
  ]

  @Test(
    "in a key's whole life no output, error, event, saved response or recording has a PIN, its hash or a token",
    arguments: [false, true])
  func life(isDriven: Bool) async throws {
    let folder = try Scratch()
    let pins = ["old": Self.drawn(), "new": Self.drawn(), "wrong": Self.drawn()]
    for (name, pin) in pins { try folder.write(name, pin + "\n") }
    try folder.write(
      "creation",
      Requests.options(
        #"{"authenticatorSelection":{"residentKey":"required","userVerification":"required"},"extensions":{"credProps":true}}"#
      ))
    try folder.write("request", #"{"challenge":"AAECAwQFBgc","rpId":"example.org","userVerification":"required"}"#)
    var configuration = VirtualKeyConfiguration()
    configuration.fingerprints = FingerprintPolicy()
    configuration.profile.info.options?[.bioEnroll] = false
    configuration.profile.info.options?[.authnrCfg] = true
    configuration.profile.info.options?[.setMinPINLength] = true
    configuration.profile.info.options?[.alwaysUv] = false
    let key = try LineKey(path: folder["line"], configuration)
    defer { key.hangUp() }

    var written: [(what: String, bytes: [UInt8])] = []
    for (number, step) in Self.steps.enumerated() {
      let files = Set(["creation", "request", "response", "old", "new", "wrong"])
      var words = step.words.map { files.contains($0) ? folder[$0] : $0 }
      if let pin = step.pin { words += ["--pin-file", folder[pin]] }
      let command = step.words.joined(separator: " ")
      let isRecorded = step.words != ["list"]
      let trace = "trace-\(number)"
      if isRecorded { words += ["--trace", folder[trace]] }
      if isDriven {
        let ending = try await Drive(usb: LineKeys(path: folder["line"])).run(words)
        #expect(ending.status == step.status, "\(command): \(ending.lines)")
        written += [(command, Array(ending.output.utf8)), (command, Array(ending.lines.joined(separator: "\n").utf8))]
      } else {
        let ending = await InProcess(usb: LineKeys(path: folder["line"])).run(words)
        #expect(ending.status == step.status, "\(command): \(ending.error)")
        written += [(command, Array(ending.output.utf8)), (command, Array(ending.error.utf8))]
      }
      if isRecorded { written.append(("recording of " + command, Array(try folder.read(trace).utf8))) }
    }
    written.append(("response", Array(try folder.read("response").utf8)))

    let secrets =
      pins.values.flatMap { [Array($0.utf8), Array(Digest.sha256(Array($0.utf8)).prefix(16))] } + key.secrets
    #expect(key.secrets.count > 8 && written.contains { $0.bytes.count > 2000 })
    let needles = secrets.flatMap(Self.forms)
    for (what, bytes) in written {
      let data = Data(bytes)
      for needle in needles where data.range(of: Data(needle)) != nil {
        Issue.record("\(what) has \(String(decoding: needle, as: UTF8.self))")
      }
    }
  }

  @Test("no option takes a secret on the command line, which others can read")
  func arguments() {
    for command in CommandLineTool.commands {
      for option in command.specification.options {
        let name = option.name.lowercased()
        guard ["pin", "secret", "token", "password"].contains(where: name.contains), let value = option.value else {
          continue
        }
        #expect(["FILE", "N"].contains(value), "\(command.specification.name) \(option.name) \(value)")
      }
    }
  }
}
