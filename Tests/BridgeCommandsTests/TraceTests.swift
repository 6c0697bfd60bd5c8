import Foundation
import JSONText
import Octets
import Testing

@testable import BridgeCommands

@Suite("Recording a command")
struct TraceTests {
  @Test("--trace writes a header and each report on a line, for its owner alone, and no word of files")
  func lines() async throws {
    let scratch = try Scratch()
    let pin = try scratch.write("my-pin", "4821-4821\n")
    let request = try scratch.write("my-request", Requests.options(Requests.verified))
    let ending = try await bridge(
      "register", request, "--origin", Requests.origin, "--key", "virtual:\(scratch["my-key"])", "--virtual-pin-file",
      pin, "--pin-file", pin, "--trace", scratch["trace"], "--output", scratch["response"])
    #expect(ending.status == 0, "\(ending.error)")
    #expect(try scratch.mode("trace") == 0o600)
    let text = try scratch.read("trace")
    for name in ["my-pin", "my-request", "my-key", "4821-4821", scratch.path] { #expect(!text.contains(name)) }
    let lines = try text.split(separator: "\n").map { try JSONDocument(parsing: Array($0.utf8)).root }
    #expect(lines.first?["command"]?.stringValue == "register")
    #expect(lines.first?["secrets"]?.boolValue == false)
    #expect(lines.last?["status"]?.integerValue == 0)
    let reports = lines.filter { $0["event"]?.stringValue == "report" }
    #expect(reports.count > 20)
    #expect(reports.allSatisfy { $0["ms"]?.integerValue != nil && $0["bytes"]?.stringValue?.count == 128 })
    #expect(lines.contains { $0["text"]?.stringValue?.contains("pubKeyCredParams") == true })

    let replayed = try await bridge("replay", scratch["trace"])
    #expect(replayed.status == 0, "\(replayed.error)")
    #expect(replayed.text == (try scratch.read("response")))
  }

  @Test("--trace-secrets says what it does, and has the PIN in the recording")
  func secrets() async throws {
    let scratch = try Scratch()
    let pin = try scratch.write("pin", "4821-4821\n")
    let ending = try await bridge(
      "register", "--origin", Requests.origin, "--key", "virtual", "--virtual-pin-file", pin, "--pin-file", pin,
      "--trace", scratch["trace"], "--trace-secrets", input: try Requests.options(Requests.verified))
    #expect(ending.status == 0, "\(ending.error)")
    #expect(ending.error.contains("will have PINs and secrets in it"))
    #expect(try scratch.read("trace").contains(Hex.encode(Array("4821-4821".utf8))))
    let replayed = try await bridge("replay", scratch["trace"])
    #expect(replayed.status == 0 && replayed.output == ending.output, "\(replayed.error)")
  }

  @Test("a recording is for its owner alone where others could read the file that was there, too")
  func presentFile() async throws {
    let scratch = try Scratch()
    let trace = try scratch.write("trace", "of old", mode: 0o644)
    let ending = try await bridge("info", "--key", "virtual", "--trace", trace)
    #expect(ending.status == 0, "\(ending.error)")
    #expect(try scratch.mode("trace") == 0o600 && !scratch.read("trace").contains("of old"))
  }

  @Test("What cannot be recorded is said before a key is touched")
  func refusals() async throws {
    let scratch = try Scratch()
    #expect(try await bridge("info", "--key", "virtual", "--trace-secrets").status == 64)
    #expect(try await bridge("info", "--key", "virtual", "--trace", "-").status == 64)
    let ending = try await bridge("info", "--key", "virtual", "--trace", scratch["none/trace"])
    #expect(ending.status == 73)
    #expect(ending.error.contains("Nothing was done on a key."))
  }

  @Test("An interrupted command has a whole recording, which replays to the same end")
  func interrupted() async throws {
    let scratch = try Scratch()
    let request = try scratch.write("request", Requests.options())
    let ending = try await bridge(
      atTerminal: "register", request, "--origin", Requests.origin, "--key", "virtual", "--presence", "never",
      "--trace", scratch["trace"]
    ) { child in
      try child.expect("Touch your key now")
      child.signal(SIGINT)
    }
    #expect(ending.status == 130)
    let text = try scratch.read("trace")
    #expect(text.contains(#""event":"cancelled""#) && text.contains(#""event":"end","status":12"#))
    #expect(try await bridge("replay", scratch["trace"]).status == 12)
  }

  @Test(
    "a command that looks after a key replays to the same result", arguments: ["", "--trace-secrets"],
    [
      "credentials list --json", "pin status --json", "pin min-length 6 --json", "ping --count 2 --size 100",
      "blobs list --json",
    ])
  func management(secrets: String, command: String) async throws {
    let scratch = try Scratch()
    let pin = try scratch.write("pin", "482148\n")
    let key = ["--key", "virtual:\(scratch["key"])", "--virtual-pin-file", pin, "--pin-file", pin]
    let request = try scratch.write("request", Requests.options(Requests.resident))
    let process = InProcess()
    let made = await process.run(["register", request, "--origin", Requests.origin] + key)
    #expect(made.status == .success, "\(made.error)")
    let words = command.split(separator: " ").map(String.init)
    let unpinned = command.hasPrefix("ping") || command.hasPrefix("pin status") ? Array(key.prefix(4)) : key
    let recorded = await process.run(
      words + unpinned + ["--trace", scratch["trace"]] + (secrets.isEmpty ? [] : [secrets]))
    #expect(recorded.status == .success, "\(recorded.error)")
    let replayed = await process.run("replay", scratch["trace"])
    #expect(replayed.status == .success, "\(replayed.error)")
    // Times are those of the recording, to the millisecond that it has.
    if !command.hasPrefix("ping") { #expect(replayed.output == recorded.output) }
  }

  @Test("Every command that may open a key can be recorded, and the others cannot")
  func everyCommand() {
    for type in CommandLineTool.commands {
      let command = type.specification
      let isTraced = command.options.contains { $0.name == "--trace" }
      let opensNone = ["virtual-key", "replay"].contains(command.name) || command.name.hasPrefix("verify ")
      #expect(isTraced == !opensNone, "\(command.name)")
    }
  }
}
