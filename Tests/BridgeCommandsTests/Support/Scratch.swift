import Foundation
import JSONText
import Testing

@testable import VirtualKey

/// A folder that goes away with the test.
final class Scratch: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("ctap-bridge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a name in the folder.
  subscript(_ name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ name: String, _ content: String, mode: Int = 0o600) throws -> String {
    try content.write(toFile: self[name], atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self[name])
    return self[name]
  }

  func read(_ name: String) throws -> String { try String(contentsOfFile: self[name], encoding: .utf8) }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: self[name])
    return try #require(attributes[.posixPermissions] as? Int)
  }

  var names: [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// How many signatures the virtual key has given: one for each credential that it made.
  func signatures(_ name: String = "key") throws -> Int { Int(try key(name)?.signatureCounter ?? 0) }

  /// What a virtual key remembers; nil where it never saved anything.
  func key(_ name: String = "key") throws -> VirtualKeyState? { try FileStore(path: self[name]).load() }
}

/// Requests for registrations.
enum Requests {
  static let origin = "https://example.org"

  /// Creation options; `changes` are merged into the top level, `null` takes a member away.
  static func options(_ changes: String = "{}") throws -> String {
    let standard = """
      {"rp":{"id":"example.org","name":"Example"},"user":{"id":"AAEC","name":"alice","displayName":"Alice"},
      "challenge":"AAECAwQFBgc","pubKeyCredParams":[{"type":"public-key","alg":-7}]}
      """
    guard changes != "{}" else { return standard }
    func object(_ text: String) throws -> [String: Any] {
      try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    let merged = try object(standard).merging(object(changes)) { $1 }.filter { !($0.value is NSNull) }
    return String(decoding: try JSONSerialization.data(withJSONObject: merged), as: UTF8.self)
  }

  /// A request with extensions, whose text stays as it is.
  static func extensions(_ extensions: String) -> String {
    """
    {"rp":{"id":"example.org","name":"Example"},"user":{"id":"AAEC","name":"alice","displayName":"Alice"},
    "challenge":"AAECAwQFBgc","pubKeyCredParams":[{"type":"public-key","alg":-7}],"extensions":\(extensions)}
    """
  }

  static let named = extensions(#"{"thalesgroup_ext_v1":true}"#)
  /// Asks for a credential that the key keeps, so that a test can count it.
  static let resident = #"{"authenticatorSelection":{"residentKey":"required"}}"#
  static let verified = #"{"authenticatorSelection":{"userVerification":"required"}}"#
}

extension Child.Ending {
  /// The response as JSON.
  func response() throws -> JSONValue { try JSONDocument(parsing: output).root }

  /// The friendly name in the response.
  func name() throws -> String? {
    try response()["clientExtensionResults"]?["thalesgroup_ext_v1"]?["authenticatorDescription"]?["friendlyName"]?
      .stringValue
  }

  /// The error as `--error-format json` tells it.
  func errorObject() throws -> [(name: String, value: JSONValue)] {
    let root = try JSONDocument(parsing: Array(lastLine.utf8)).root
    #expect(root.members?.map(\.name) == ["error"])
    return try #require(root["error"]?.members)
  }
}

extension Requests {
  /// The standard request, one of its members replaced or left out by the text of an object with one member.
  static func spoilt(_ change: String) throws -> String {
    let isMissing = change == #"{"user":null}"#
    return isMissing ? try options(change) : try replaced(change)
  }

  private static func replaced(_ change: String) throws -> String {
    let new = try #require(JSONDocument(parsing: Array(change.utf8)).root.members?.first)
    let standard = try JSONDocument(parsing: Array(options().utf8)).root
    var members = (standard.members ?? []).filter { $0.name != new.name }
    members.append((new.name, new.value))
    return String(
      decoding: JSONOutput.object(members.map { ($0.name, .raw($0.value.source)) }).serialized(pretty: false),
      as: UTF8.self)
  }
}
