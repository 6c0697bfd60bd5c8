import CTAPMessages
import JSONText
import Octets
import Testing
import VirtualKey

@testable import BridgeCommands

@Suite("blobs")
struct BlobCommandTests {
  private func json(_ ending: InProcess.Ending) throws -> JSONValue {
    try JSONDocument(parsing: Array(ending.output.utf8)).root
  }

  @Test("what is set is listed, got and deleted, and the others stay")
  func life() async throws {
    let bench = try await BlobBench()
    for (index, id) in bench.ids.enumerated() {
      let data = [UInt8](repeating: UInt8(65 + index), count: 100 + index)
      let set = await bench.run("blobs", "set", id, "--input", try bench.file(data), "--json")
      #expect(set.status == .success, "\(set.error)")
      #expect(try json(set)["size"]?.integerValue == 100 + index)
    }
    let list = try json(await bench.run("blobs", "list", "--json"))
    let blobs = try #require(list["blobs"]?.elements)
    #expect(blobs.map { $0["credential"]?["id"]?.stringValue } == bench.ids)
    #expect(blobs.map { $0["size"]?.integerValue } == [100, 101])
    #expect(list["capacity"]?.integerValue == 4096)
    let words = await bench.run("blobs", "list")
    #expect(words.output.contains("of 4096 bytes are used"))
    #expect(words.output.contains("\(bench.ids[1])  bob (Bob) at example.org (Example): 101 bytes"))

    let raw = await bench.run("blobs", "get", String(bench.ids[0].prefix(12)))
    #expect(raw.output == String(repeating: "A", count: 100))
    let shown = try json(await bench.run("blobs", "get", bench.ids[1], "--json"))
    #expect(shown["size"]?.integerValue == 101)
    #expect(shown["blob"]?.stringValue == Base64URL.encode([UInt8](repeating: 66, count: 101)))
    let file = await bench.run("blobs", "get", bench.ids[1], "--output", bench.folder["out"])
    #expect(file.output.isEmpty)
    #expect(try bench.folder.read("out") == String(repeating: "B", count: 101))

    let unsure = await bench.run("blobs", "delete", bench.ids[0])
    #expect(unsure.status != .success && unsure.error.contains("--yes"), "\(unsure)")
    #expect(try json(await bench.run("blobs", "list", "--json"))["blobs"]?.elements?.count == 2)
    let deleted = await bench.run("blobs", "delete", bench.ids[0], "--yes")
    #expect(deleted.error.contains("The large blob of alice (Alice) at example.org (Example) was deleted."))
    #expect(await bench.run("blobs", "get", bench.ids[0]).status == .unavailable)
    #expect(await bench.run("blobs", "get", bench.ids[1]).output == String(repeating: "B", count: 101))
    let again = try json(await bench.run("blobs", "delete", bench.ids[0], "--yes", "--json"))
    #expect(again["deleted"]?.integerValue == 0)
  }

  @Test("the credential can be left out where the site has one, and not where it has more")
  func site() async throws {
    let one = try await BlobBench(accounts: ["alice"])
    #expect(await one.run("blobs", "set", "--rp-id", "example.org", "--input", try one.file([7])).status == .success)
    #expect(await one.run("blobs", "get", "--rp-id", "example.org").output == "\u{7}")
    let other = await one.run("blobs", "get", "--rp-id", "example.com")
    #expect(other.error.contains("no credential for \"example.com\" that has a large-blob key"))
    let two = try await BlobBench()
    let unclear = await two.run("blobs", "set", "--rp-id", "example.org", "--input", try two.file([7]))
    #expect(unclear.status == .badRequest && two.ids.allSatisfy(unclear.error.contains))
  }

  @Test("the key to a blob serves without the key's PIN for reading, in base64 of either alphabet")
  func largeBlobKey() async throws {
    let bench = try await BlobBench(pin: nil, accounts: [])
    let key = [UInt8](repeating: 0xfb, count: 32)
    let standard = Base64URL.encode(key).replacing("-", with: "+").replacing("_", with: "/") + "="
    let data = try bench.file(Array("data".utf8))
    for text in [standard, Base64URL.encode(key)] {
      let path = try bench.folder.write("key", text + "\n")
      let set = await bench.process.run("blobs", "set", "--large-blob-key", path, "--input", data)
      #expect(set.status == .success && set.error.contains("The large blob has 4 bytes now."), "\(set)")
      #expect(await bench.process.run("blobs", "get", "--large-blob-key", path).output == "data")
      let deleted = await bench.process.run("blobs", "delete", "--large-blob-key", path, "--yes", "--json")
      #expect(try json(deleted)["deleted"]?.integerValue == 1)
    }
    for text in ["AAAA", "not base64!"] {
      let path = try bench.folder.write("key", text)
      let refused = await bench.process.run("blobs", "get", "--large-blob-key", path)
      #expect(refused.status == .badRequest && refused.error.contains(path))
    }
  }

  @Test("orphans are deleted only when they are asked for")
  func orphans() async throws {
    let bench = try await BlobBench()
    for id in bench.ids { _ = await bench.run("blobs", "set", id, "--input", try bench.file([1, 2])) }
    #expect(await bench.run("credentials", "delete", bench.ids[0], "--yes").status == .success)
    let list = try json(await bench.run("blobs", "list", "--json"))
    #expect(list["blobs"]?.elements?.map { $0["credential"]?.isNull ?? true } == [true, false])
    #expect(await bench.run("blobs", "list").output.contains("of no credential on the key: 2 bytes"))
    let collected = try json(await bench.run("blobs", "delete", "--orphans", "--yes", "--json"))
    #expect(collected["deleted"]?.integerValue == 1)
    #expect(await bench.run("blobs", "get", bench.ids[1]).output == "\u{1}\u{2}")
  }

  @Test(
    "a command line that names no blob, or two, is refused before any key is looked for",
    arguments: [
      (["get"], "CREDENTIAL is missing"), (["set"], "CREDENTIAL is missing"), (["delete"], "CREDENTIAL is missing"),
      (["get", "AA", "--large-blob-key", "f"], "takes the place of CREDENTIAL"),
      (["delete", "AA", "--orphans"], "about the whole key"),
      (["set", "AA", "--pin-file", "-"], "stdin cannot give both"),
    ])
  func usage(_ arguments: [String], _ reason: String) async {
    let ending = await InProcess().run(["blobs"] + arguments + ["--no-wait"])
    #expect(ending.status == .usage && ending.error.contains(reason), "\(ending.error)")
  }

  @Test("a key without room for large blobs says so before anybody is asked for a PIN")
  func notOffered() async throws {
    let desk = try KeyDesk { $0.profile.info.options?[.largeBlobs] = nil }
    let folder = try Scratch()
    let file = try folder.write("data", "data")
    for words in [["list"], ["get", "AA"], ["set", "AA", "--input", file], ["delete", "AA", "--yes"]] {
      let ending = await desk.run(["blobs"] + words)
      #expect(ending.status == .unavailable)
      #expect(ending.error.contains("does not offer room for large blobs."), "\(words) \(ending.error)")
    }
    #expect(desk.requests(.clientPIN) == 0)
  }
}
