import BridgeTestSupport
import Foundation
import JSONText
import Octets
import Testing

@testable import WebAuthnClient

/// A vector file of this target.
func vectors(_ name: String) throws -> JSONValue {
  let url = try #require(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
  return try VectorFile.json(at: url.path)
}

extension JSONValue {
  /// The bytes of a member in hexadecimal.
  func hex(_ name: String) throws -> [UInt8] { try #require(self[name]?.stringValue.flatMap { Hex.decode($0) }) }
}

/// A request that is complete and small; `edit` may spoil it.
func requestText(
  rp: String = #"{"id":"example.org","name":"Example"}"#,
  user: String = #"{"id":"AQIDBA","name":"alice","displayName":"Alice"}"#,
  challenge: String = #""AAECAwQFBgcICQoLDA0ODw""#,
  params: String = #"[{"type":"public-key","alg":-7}]"#, more: String = ""
) -> String {
  "{\"rp\":\(rp),\"user\":\(user),\"challenge\":\(challenge),\"pubKeyCredParams\":\(params)\(more.isEmpty ? "" : ",")\(more)}"
}

/// Reads a request.
func creation(_ text: String) throws(WebAuthnError) -> CreationOptions {
  try CreationOptions(parsing: Array(text.utf8))
}

/// The error that an operation ends with.
func failure<Value>(_ operation: () throws(WebAuthnError) -> Value) -> WebAuthnError? {
  do throws(WebAuthnError) {
    _ = try operation()
    return nil
  } catch {
    return error
  }
}
