internal import CTAPHID
internal import JSONText
internal import Octets

/// The lines of a recording, without their line feeds.
enum RecordingText {
  static func line(_ header: RecordingHeader) -> [UInt8] {
    let line: JSONOutput = [
      "ctapBridgeTrace": .int(Recording.formatVersion), "program": .string(header.program),
      "command": .string(header.command), "arguments": .array(header.arguments.map(JSONOutput.string)),
      "attended": .bool(header.isAttended), "secrets": .bool(header.hasSecrets),
    ]
    return line.serialized(pretty: false)
  }

  static func line(_ event: RecordedEvent) -> [UInt8] {
    let (name, members) = parts(event.kind)
    return JSONOutput.object([("ms", .int(event.milliseconds)), ("event", .string(name))] + members)
      .serialized(pretty: false)
  }

  private typealias Members = [(String, JSONOutput)]

  private static func parts(_ kind: RecordedEvent.Kind) -> (String, Members) {
    switch kind {
    case .file(let what, let content): ("file", [("what", .string(what)), text(content)])
    case .secret(let what, let content): ("secret", [("what", .string(what))] + hex(content))
    case .origin(let origin): ("origin", [("origin", .string(origin))])
    case .answer(let question, let answer): ("answer", [("question", .string(question))] + members(answer))
    case .keys(let keys): ("keys", [("keys", .array(keys.map(object)))])
    case .arrived(let key): ("arrived", [("description", object(key))])
    case .removed(let key): ("removed", [("key", .string(key))])
    case .opened(let key, let sizes):
      ("open", [("key", .string(key)), ("input", .int(sizes.input)), ("output", .int(sizes.output))])
    case .notOpened(let key, let error): ("open", [("key", .string(key)), ("error", object(error))])
    case .draw(let key, let bytes, let isPrivate):
      ("draw", [("key", .string(key)), ("bytes", .string(Hex.encode(bytes)))] + (isPrivate ? [("private", true)] : []))
    case .report(let key, let direction, let report):
      ("report", [("key", .string(key)), ("direction", .string(direction.rawValue)), ("bytes", .string(report.text))])
    case .failed(let key, let direction, let error):
      ("failure", [("key", .string(key)), ("direction", .string(direction.rawValue)), ("error", object(error))])
    case .closed(let key): ("close", [("key", .string(key))])
    case .cancelled: ("cancelled", [])
    case .ended(let status): ("end", [("status", .int(status))])
    }
  }

  private static func members(_ answer: RecordedAnswer) -> Members {
    switch answer {
    case .text(let content): [text(content)]
    case .secret(let number, let content): [("secret", .int(number))] + hex(content)
    case .nothing: []
    case .cancelled: [("cancelled", true)]
    }
  }

  /// Content as text, so that a person can read it; as base64url where it is no UTF-8.
  private static func text(_ content: [UInt8]) -> (String, JSONOutput) {
    if let text = String(validating: content, as: UTF8.self) { return ("text", .string(text)) }
    return ("base64url", .string(Base64URL.encode(content)))
  }

  private static func hex(_ content: [UInt8]?) -> Members {
    content.map { [("bytes", .string(Hex.encode($0)))] } ?? []
  }

  private static func object(_ key: KeyDescription) -> JSONOutput {
    let names = [("vendor", key.vendor), ("product", key.product), ("serialNumber", key.serialNumber)]
    var members: Members = [
      ("key", .string(key.id)), ("vendorId", .int(Int(key.vendorID))), ("productId", .int(Int(key.productID))),
    ]
    members += names.compactMap { name, value in value.map { (name, .string($0)) } }
    if key.isVirtual { members.append(("virtual", true)) }
    switch key.obstacle {
    case nil: break
    case .permission: members.append(("obstacle", ["name": "permission"]))
    case .unsuitable(let reason):
      members.append(("obstacle", ["name": "unsuitable", "reason": .string(reason)]))
    }
    return .object(members)
  }

  private static func object(_ error: TransportError) -> JSONOutput {
    switch error {
    case .notFound(let key): ["name": "notFound", "text": .string(key)]
    case .permissionDenied(let path): ["name": "permissionDenied", "text": .string(path)]
    case .busy(let path): ["name": "busy", "text": .string(path)]
    case .unplugged: ["name": "unplugged"]
    case .cancelled: ["name": "cancelled"]
    case .closed: ["name": "closed"]
    case .unsuitable(let reason): ["name": "unsuitable", "text": .string(reason)]
    case .failed(let operation, let code, let message):
      ["name": "failed", "operation": .string(operation), "code": .int(Int(code)), "text": .string(message)]
    }
  }
}
