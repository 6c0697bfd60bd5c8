import Foundation
import JSONText
import Octets
import Testing

@testable import BridgeCommands

@Suite(
  "Large requests, within 64 MB",
  .enabled(if: Python.path != nil && !Sanitizer.isOn, "there is no Python, or a sanitizer"))
struct LargeRequestTests {
  /// The most that a command may have of memory at once, in bytes.
  private static let limit = 64 << 20

  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// Runs the command under a small program that tells the command's peak of memory in a last line, and checks it.
  ///
  /// Seen from here the peak would be this process's own, which a child counts as its own until it runs its program.
  private func measured(_ command: String, _ request: String, key: String = "virtual") async throws -> Child.Ending {
    let script = """
      import resource, subprocess, sys
      status = subprocess.run(sys.argv[1:]).returncode
      unit = 1 if sys.platform == "darwin" else 1024
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit, file=sys.stderr)
      sys.exit(status)
      """
    let file = try folder.write("request", request)
    var setup = Child.Setup(
      arguments: ["-c", script, Binary.path, command, file, "--origin", Requests.origin, "--key", key])
    setup.program = Python.path
    var ending = try await bridge(setup)
    let peak = try #require(Int(ending.lastLine), "\(ending.error)")
    #expect((1 << 20..<Self.limit).contains(peak), "\(peak) bytes")
    ending.error.removeLast(ending.lastLine.count + 1)
    return ending
  }

  private static func options(_ member: String) throws -> String {
    try Requests.options().dropLast() + "," + member + "}"
  }

  private static func list(_ count: Int, _ element: (Int) -> String) -> String {
    "[" + (0..<count).map(element).joined(separator: ",") + "]"
  }

  /// Four letters that are different for each number.
  private static func name(_ number: Int) -> String { "\"" + String(String(number + 36 * 36 * 36, radix: 36)) + "\"" }

  private static func descriptor(_ number: Int) -> String {
    let id = [UInt8](repeating: UInt8(truncatingIfNeeded: number >> 8), count: 31) + [UInt8(truncatingIfNeeded: number)]
    return #"{"type":"public-key","id":"\#(Base64URL.encode(id))"}"#
  }

  private static let tooLarge: [(String, @Sendable () throws -> String, String)] = [
    ("too long", { try Requests.options() + String(repeating: " ", count: 1 << 20) }, "is larger than 1048576 bytes"),
    (
      "too deep", { try options(#""x":"# + String(repeating: "[", count: 65) + String(repeating: "]", count: 65)) },
      "nested in more than 64 levels"
    ),
    (
      "far too deep", { try options(#""x":"# + String(repeating: "[", count: 1_000_000)) },
      "nested in more than 64 levels"
    ),
    ("too many values", { try options(#""x":"# + list(500_000) { _ in "0" }) }, "there are more than 262144 values"),
    ("too many objects", { try options(#""x":"# + list(340_000) { _ in "{}" }) }, "there are more than 262144 values"),
  ]

  @Test(
    "what is too large is refused in words",
    arguments: tooLarge.map(\.0))
  func refused(name: String) async throws {
    let (_, request, reason) = try #require(Self.tooLarge.first { $0.0 == name })
    let ending = try await measured("register", try request())
    #expect(ending.status == 65 && ending.error.contains(reason), "\(ending.error)")
  }

  private static let allowed: [(String, @Sendable () throws -> String)] = [
    ("members", { try options(list(100_000) { name($0) + ":0" }.dropFirst().dropLast() + "") }),
    (
      "extensions", { try options(#""extensions":{"# + list(100_000) { name($0) + ":0" }.dropFirst().dropLast() + "}") }
    ),
    ("a list to exclude", { try options(#""excludeCredentials":"# + list(10_000, descriptor)) }),
    ("a name", { try options(#""x":""# + String(repeating: "\\u202e", count: 160_000) + "\"") }),
  ]

  @Test(
    "what is large and allowed is worked on",
    arguments: allowed.map(\.0))
  func taken(name: String) async throws {
    let (_, request) = try #require(Self.allowed.first { $0.0 == name })
    let ending = try await measured("register", try request())
    #expect(ending.status == 0, "\(ending.error)")
    #expect(try ending.response()["type"]?.stringValue == "public-key")
  }

  @Test(
    "more algorithms than a key's message holds are refused with both sizes")
  func algorithms() async throws {
    let parameters = Self.list(10_000) { #"{"type":"public-key","alg":\#($0 == 9_999 ? -7 : -1000 - $0)}"# }
    let ending = try await measured("register", try Requests.options(#"{"pubKeyCredParams":\#(parameters)}"#))
    #expect(ending.status == 12 && ending.error.contains("bytes and it takes 7609"), "\(ending.error)")
  }

  @Test(
    "of ten thousand credentials the one that the key has signs in")
  func allowList() async throws {
    let key = "virtual:\(folder["key"])"
    let made = try await bridge(
      "register", "--origin", Requests.origin, "--key", key, input: try Requests.options())
    let id = try #require(try made.response()["id"]?.stringValue)
    let own = #"{"type":"public-key","id":"\#(id)"}"#
    let list = Self.list(10_000) { $0 == 9_999 ? own : Self.descriptor($0) }
    let ending = try await measured(
      "authenticate", #"{"challenge":"AAECAwQFBgc","rpId":"example.org","allowCredentials":\#(list)}"#, key: key)
    #expect(ending.status == 0, "\(ending.error)")
    #expect(try ending.response()["id"]?.stringValue == id)
  }
}
