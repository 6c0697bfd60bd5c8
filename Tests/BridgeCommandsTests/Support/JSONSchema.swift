import Foundation
import JSONText

/// The part of JSON Schema (draft 2020-12) that `docs/interaction.schema.json` uses.
///
/// It is stricter in one thing: a member that the schema does not name is an error, because what the tool says is to be
/// described whole.
struct JSONSchema {
  let root: JSONValue

  /// The schema of the lines that a program exchanges with the tool.
  static let interaction: JSONSchema? = {
    let file = Binary.package.appendingPathComponent("docs/interaction.schema.json")
    guard let text = try? Data(contentsOf: file) else { return nil }
    return (try? JSONDocument(parsing: Array(text))).map { JSONSchema(root: $0.root) }
  }()

  /// What is wrong with a value under one of the definitions; empty where it is valid.
  func errors(_ value: JSONValue, _ definition: String) -> [String] {
    guard let schema = root["$defs"]?[definition] else { return ["no definition \(definition)"] }
    return errors(value, schema)
  }

  private func errors(_ value: JSONValue, _ schema: JSONValue) -> [String] {
    var found: [String] = []
    for (keyword, rule) in schema.members ?? [] {
      switch keyword {
      case "description", "title", "required": break
      case "$ref":
        found += errors(value, String((rule.stringValue ?? "").dropFirst("#/$defs/".count)))
      case "const":
        if value.source != rule.source {
          found.append("\(value.path) is not \(String(decoding: rule.source, as: UTF8.self))")
        }
      case "enum":
        if !(rule.elements ?? []).contains(where: { $0.source == value.source }) { found.append("\(value.path): enum") }
      case "type":
        let types = rule.elements?.compactMap(\.stringValue) ?? [rule.stringValue ?? ""]
        if !types.contains(where: { Self.is(value, $0) }) { found.append("\(value.path) is no \(types)") }
      case "minimum":
        if let number = value.integerValue, number < rule.integerValue ?? 0 { found.append("\(value.path): minimum") }
      case "minItems":
        if let elements = value.elements, elements.count < rule.integerValue ?? 0 { found.append("\(value.path): few") }
      case "items": found += (value.elements ?? []).flatMap { errors($0, rule) }
      case "properties": found += memberErrors(value, rule, schema["required"]?.elements ?? [])
      case "oneOf":
        let fitting = (rule.elements ?? []).filter { errors(value, $0).isEmpty }
        if fitting.count != 1 { found.append("\(value.path) fits \(fitting.count) of oneOf") }
      default: found.append("the keyword \(keyword) is not known here")
      }
    }
    return found
  }

  private func memberErrors(_ value: JSONValue, _ rules: JSONValue, _ required: [JSONValue]) -> [String] {
    var found: [String] = []
    for (name, member) in value.members ?? [] {
      if let rule = rules[name] { found += errors(member, rule) } else { found.append("\(value.path) has \(name)") }
    }
    for name in required.compactMap(\.stringValue) where value[name] == nil {
      found.append("\(value.path) lacks \(name)")
    }
    return found
  }

  private static func `is`(_ value: JSONValue, _ type: String) -> Bool {
    switch type {
    case "string": value.kind == .string
    case "integer": value.integerValue != nil
    case "boolean": value.kind == .bool
    case "null": value.kind == .null
    case "array": value.kind == .array
    case "object": value.kind == .object
    default: false
    }
  }
}
