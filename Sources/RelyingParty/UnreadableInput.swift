internal import JSONText
internal import Octets

/// A request, a response or a credential that is not what its name says, so that no check can be made.
public struct UnreadableInput: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which member it is, by its path, or what the whole should be.
  public let what: String
  /// What is wrong with it.
  public let reason: String

  init(_ what: String, _ reason: String) {
    self.what = what
    self.reason = reason
  }

  /// A sentence.
  public var description: String { "\(what) \(reason)." }
}

/// Reading of members that must be there in some form for a check to make sense.
extension JSONValue {
  /// Parses a text whose root is an object.
  static func object(_ bytes: [UInt8], _ what: String) throws(UnreadableInput) -> JSONValue {
    let root: JSONValue
    do throws(JSONParseError) {
      root = try JSONDocument(parsing: bytes).root
    } catch {
      throw UnreadableInput(what, "is not JSON: \(error)")
    }
    guard root.kind == .object else { throw UnreadableInput(what, "is not a JSON object") }
    return root
  }

  /// A member; null counts as absent.
  func optional(_ name: String) -> JSONValue? {
    guard let value = self[name], value.kind != .null else { return nil }
    return value
  }

  func required(_ name: String) throws(UnreadableInput) -> JSONValue {
    guard let value = optional(name) else { throw UnreadableInput(path(to: name), "is missing") }
    return value
  }

  func text(_ name: String) throws(UnreadableInput) -> String {
    guard let text = try required(name).stringValue else { throw UnreadableInput(path(to: name), "is not a string") }
    return text
  }

  func optionalText(_ name: String) throws(UnreadableInput) -> String? {
    optional(name) == nil ? nil : try text(name)
  }

  func octets(_ name: String) throws(UnreadableInput) -> [UInt8] {
    let text = try text(name)
    do throws(Base64URLError) {
      return try Base64URL.decode(text)
    } catch {
      throw UnreadableInput(path(to: name), "is not base64url without padding")
    }
  }

  func optionalOctets(_ name: String) throws(UnreadableInput) -> [UInt8]? {
    optional(name) == nil ? nil : try octets(name)
  }

  /// The elements of a list that may be absent.
  func list(_ name: String) throws(UnreadableInput) -> [JSONValue] {
    guard let value = optional(name) else { return [] }
    guard let elements = value.elements else { throw UnreadableInput(path(to: name), "is not an array") }
    return elements
  }

  private func path(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
