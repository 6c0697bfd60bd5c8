import Foundation
import JSONText
import Testing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("The document on looking after a key")
struct ManagementDocumentTests {
  private let text: String

  init() throws {
    let file = Binary.package.appendingPathComponent("docs/managing-keys.md")
    text = try String(contentsOf: file, encoding: .utf8)
  }

  @Test("has a row for each command that looks after a key")
  func rows() {
    let groups = ["pin", "credentials", "fingerprints", "config", "reset", "identify", "ping"]
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.prefix { $0 != "{" } }
    for name in CommandLineTool.commands.map({ $0.specification.name }) {
      let words = name.split(separator: " ")
      guard groups.contains(String(words[0])) else { continue }
      #expect(rows.contains { row in words.allSatisfy { row.contains($0) } }, "\(name)")
    }
  }

  @Test("names every member that the commands print")
  func members() async throws {
    let desk = try KeyDesk(state: .holding(sites: 1, each: 1)) { $0.profile.addFingerprintSensor() }
    let finger = try await desk.json("fingerprints", "add", "--name", "Thumb")
    let documents = [
      ("pin status", try await desk.json("pin", "status")),
      ("pin min-length", try await desk.json("pin", "min-length", "4")),
      ("credentials show", try await desk.json("credentials", "show", "Bwc")),
      ("credentials delete", try await desk.json("credentials", "delete", "Bwc", "--yes")),
      ("fingerprints add", finger),
      ("fingerprints remove", try await desk.json("fingerprints", "remove", "Thumb", "--yes")),
      ("config always-uv", try await desk.json("config", "always-uv", "on")),
      ("config enterprise-attestation", try await desk.json("config", "enterprise-attestation", "--yes")),
      ("config long-touch-reset", try await desk.json("config", "long-touch-reset", "--yes")),
    ]
    for (command, document) in documents {
      let members = try #require(document.members).map(\.name)
      for member in members {
        #expect(text.contains("`\(member)`") || text.contains("\"\(member)\""), "\(member) of \(command)")
      }
    }
  }

  @Test("has the words that are said")
  func words() async throws {
    let desk = try KeyDesk()
    try desk.scratch.write("wrong", "0000\n")
    let wrong = await desk.run("credentials", "list", "--pin-file", desk.scratch["wrong"])
    #expect(wrong.error.contains("the PIN is wrong; 7 tries are left") && text.contains("the PIN is wrong; *n* tries"))
    let bare = try KeyDesk(pin: nil)
    let none = await bare.run("pin", "change", "--pin-file", bare.scratch["pin"])
    #expect(none.error.contains("it has no PIN; set one first") && text.contains("it has no PIN; set one first"))
  }
}
