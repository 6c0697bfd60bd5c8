import Foundation
import Testing

@testable import BridgeCommands

@Suite("Help")
struct HelpTests {
  /// `UPDATE_SNAPSHOTS=1 swift test --filter HelpTests` writes the texts anew; look at the difference before keeping it.
  static func compare(_ text: String, with snapshot: String) throws {
    let file = Binary.package.appendingPathComponent("Tests/BridgeCommandsTests/Snapshots/\(snapshot).txt")
    if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(text == expected, "the text differs from \(file.lastPathComponent); see HelpTests for how to refresh it")
  }

  @Test("the help of the tool is the stored one, by any of its names", arguments: ["--help", "-h", "help"])
  func tool(word: String) async throws {
    let ending = try await bridge(word)
    #expect(ending.status == 0 && ending.error.isEmpty)
    try Self.compare(ending.text, with: "ctap-bridge")
  }

  @Test("the help of each command is the stored one", arguments: CommandLineTool.commands.map { $0.specification.name })
  func command(name: String) async throws {
    let words = name.split(separator: " ").map(String.init)
    let ending = try await bridge(Child.Setup(arguments: words + ["--help"]))
    #expect(ending.status == 0 && ending.error.isEmpty)
    try Self.compare(ending.text, with: words.joined(separator: "-"))
    #expect(try await bridge(Child.Setup(arguments: ["help"] + words)).text == ending.text)
    #expect(try await bridge(Child.Setup(arguments: words + ["-h"])).text == ending.text)
  }

  @Test("help fits a terminal of 120 columns")
  func width() {
    let texts = [ToolHelp.text] + CommandLineTool.commands.map { $0.specification.helpText }
    for line in texts.joined().split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
  }

  @Test("--version prints the name and the version")
  func version() async throws {
    #expect(try await bridge("--version").text == "ctap-bridge 0.1.0\n")
  }

  @Test("the README's table of exit statuses is what --help prints")
  func exitStatuses() throws {
    let readme = try String(contentsOf: Binary.package.appendingPathComponent("README.md"), encoding: .utf8)
    let parts = readme.components(separatedBy: "<!-- exit-status -->\n")
    let table = try #require(parts.last?.components(separatedBy: "<!-- /exit-status -->").first)
    let rows = ExitStatus.allCases.map { "| \($0.rawValue) | \($0.meaning) |\n" }
    #expect(table == "| status | meaning |\n| --- | --- |\n" + rows.joined())
  }

  @Test("the README names every option of register and info")
  func readmeOptions() throws {
    let readme = try String(contentsOf: Binary.package.appendingPathComponent("README.md"), encoding: .utf8)
    for option in VirtualKeyOptions.specifications { #expect(readme.contains(option.name), "\(option.name)") }
  }
}
