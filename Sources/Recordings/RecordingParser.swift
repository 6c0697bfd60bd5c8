internal import CTAPHID
internal import JSONText
internal import Octets

extension Recording {
  /// The most that a recording may hold, checked before anything is made of it.
  enum Limit {
    static let lines = 1 << 20
    static let milliseconds = 7 * 86_400_000
    static let report = 1024
    static let draw = 4096
    /// A line holds a whole file at the most: metadata of some 5 MB, with its escapes.
    static let line = JSONLimits(size: 24 << 20, depth: 4, values: 1 << 12)
  }

  /// Reads the text form; what comes after a last line feed that is missing is a line too.
  ///
  /// Unknown members are left alone; unknown events are refused, because a replay would miss them.
  public init(parsing text: [UInt8]) throws(RecordingError) {
    var header: RecordingHeader?
    var events: [RecordedEvent] = []
    var number = 0
    var rest = text[...]
    // One line at a time: a list of them all could take far more memory than the text.
    while number == 0 || !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      number += 1
      guard number <= Limit.lines else { throw RecordingError(line: number, problem: "is one too many") }
      if line.isEmpty && number > 1 { continue }
      let reader = try LineReader(Array(line), number: number)
      if header == nil {
        header = try reader.header()
      } else {
        events.append(try reader.event())
      }
    }
    guard let header else { throw RecordingError(line: 1, problem: "is missing") }
    self.init(header: header, events: events)
  }

  /// The text form, each line with its line feed.
  public var text: [UInt8] {
    let lines = [RecordingText.line(header)] + events.map(RecordingText.line)
    return lines.flatMap { $0 + [UInt8(ascii: "\n")] }
  }
}

/// One line of a recording.
private struct LineReader {
  let root: JSONValue
  let number: Int

  init(_ line: [UInt8], number: Int) throws(RecordingError) {
    do throws(JSONParseError) {
      root = try JSONDocument(parsing: line, limits: Recording.Limit.line).root
    } catch {
      throw RecordingError(line: number, problem: "is not JSON: \(error)")
    }
    self.number = number
    guard root.kind == .object else { throw wrong("is not an object") }
  }

  func header() throws(RecordingError) -> RecordingHeader {
    guard let version = root["ctapBridgeTrace"]?.integerValue else { throw wrong("is not the header of a trace") }
    guard version == Recording.formatVersion else {
      throw wrong("says format \(version), and this program reads format \(Recording.formatVersion)")
    }
    var arguments: [String] = []
    guard let words = root["arguments"]?.elements else { throw wrong("has no array \"arguments\"") }
    for word in words {
      guard let word = word.stringValue else { throw wrong("has an argument that is no string") }
      arguments.append(word)
    }
    return RecordingHeader(
      program: try string("program"), command: try string("command"), arguments: arguments,
      isAttended: try flag("attended"), hasSecrets: try flag("secrets"))
  }

  func event() throws(RecordingError) -> RecordedEvent {
    let time = try integer("ms")
    guard (0...Recording.Limit.milliseconds).contains(time) else { throw wrong("has a time out of range") }
    return RecordedEvent(milliseconds: time, kind: try kind(try string("event")))
  }

  private func kind(_ name: String) throws(RecordingError) -> RecordedEvent.Kind {
    switch name {
    case "file": return .file(what: try string("what"), content: try content())
    case "secret": return .secret(what: try string("what"), content: try optionalBytes())
    case "origin": return .origin(try string("origin"))
    case "answer": return .answer(question: try string("question"), try answer())
    case "keys":
      guard let elements = root["keys"]?.elements else { throw wrong("has no array \"keys\"") }
      var keys: [KeyDescription] = []
      for element in elements { keys.append(try description(element)) }
      return .keys(keys)
    case "arrived": return .arrived(try description(root["description"]))
    case "removed": return .removed(try string("key"))
    case "open":
      if root["error"] != nil { return .notOpened(key: try string("key"), try error()) }
      return .opened(key: try string("key"), ReportSizes(input: try size("input"), output: try size("output")))
    case "draw":
      let bytes = try self.bytes(Recording.Limit.draw)
      return .draw(
        key: try string("key"), bytes: bytes, isPrivate: root["private"] == nil ? false : try flag("private"))
    case "report":
      guard let report = RecordedReport(text: try string("bytes")), report.bytes.count <= Recording.Limit.report else {
        throw wrong("has no report in \"bytes\"")
      }
      return .report(key: try string("key"), try direction(), report)
    case "failure": return .failed(key: try string("key"), try direction(), try error())
    case "close": return .closed(key: try string("key"))
    case "cancelled": return .cancelled
    case "end": return .ended(status: try integer("status"))
    default: throw wrong("has an event that is not known")
    }
  }

  private func answer() throws(RecordingError) -> RecordedAnswer {
    if root["secret"] != nil { return .secret(number: try integer("secret"), content: try optionalBytes()) }
    if root["cancelled"] != nil { return .cancelled }
    return root["text"] == nil && root["base64url"] == nil ? .nothing : .text(try content())
  }

  private func description(_ value: JSONValue?) throws(RecordingError) -> KeyDescription {
    guard let value, let id = value["key"]?.stringValue,
      let vendor = value["vendorId"]?.integerValue.flatMap(UInt16.init(exactly:)),
      let product = value["productId"]?.integerValue.flatMap(UInt16.init(exactly:))
    else { throw wrong("has a key without \"key\", \"vendorId\" and \"productId\"") }
    var key = KeyDescription(id: id, vendorID: vendor, productID: product)
    key.vendor = value["vendor"]?.stringValue
    key.product = value["product"]?.stringValue
    key.serialNumber = value["serialNumber"]?.stringValue
    key.isVirtual = value["virtual"]?.boolValue ?? false
    switch value["obstacle"]?["name"]?.stringValue {
    case nil: break
    case "permission": key.obstacle = .permission
    default: key.obstacle = .unsuitable(value["obstacle"]?["reason"]?.stringValue ?? "")
    }
    return key
  }

  private func error() throws(RecordingError) -> TransportError {
    guard let value = root["error"], let name = value["name"]?.stringValue else { throw wrong("has no error's name") }
    let text = value["text"]?.stringValue ?? ""
    switch name {
    case "notFound": return .notFound(text)
    case "permissionDenied": return .permissionDenied(text)
    case "busy": return .busy(text)
    case "unplugged": return .unplugged
    case "cancelled": return .cancelled
    case "closed": return .closed
    case "unsuitable": return .unsuitable(text)
    case "failed":
      let code = value["code"]?.integerValue.flatMap(Int32.init(exactly:)) ?? 0
      return .failed(operation: value["operation"]?.stringValue ?? "", code: code, message: text)
    default: throw wrong("has an error that is not known")
    }
  }

  private func direction() throws(RecordingError) -> ReportDirection {
    guard let direction = ReportDirection(rawValue: try string("direction")) else {
      throw wrong("has a direction that is neither toKey nor fromKey")
    }
    return direction
  }

  private func content() throws(RecordingError) -> [UInt8] {
    if let text = root["text"]?.stringValue { return Array(text.utf8) }
    guard let bytes = root["base64url"]?.stringValue.flatMap({ try? Base64URL.decode($0) }) else {
      throw wrong("has no content in \"text\" or \"base64url\"")
    }
    return bytes
  }

  private func optionalBytes() throws(RecordingError) -> [UInt8]? {
    root["bytes"] == nil ? nil : try bytes(Recording.Limit.draw)
  }

  private func bytes(_ limit: Int) throws(RecordingError) -> [UInt8] {
    guard let bytes = Hex.decode(try string("bytes")), bytes.count <= limit else {
      throw wrong("has no bytes in hexadecimal in \"bytes\"")
    }
    return bytes
  }

  private func size(_ name: String) throws(RecordingError) -> Int {
    let size = try integer(name)
    guard (1...Recording.Limit.report).contains(size) else { throw wrong("has a report size out of range") }
    return size
  }

  private func string(_ name: String) throws(RecordingError) -> String {
    guard let value = root[name]?.stringValue else { throw wrong("has no string \"\(name)\"") }
    return value
  }

  private func integer(_ name: String) throws(RecordingError) -> Int {
    guard let value = root[name]?.integerValue else { throw wrong("has no integer \"\(name)\"") }
    return value
  }

  private func flag(_ name: String) throws(RecordingError) -> Bool {
    guard let value = root[name]?.boolValue else { throw wrong("has no \"\(name)\" that is true or false") }
    return value
  }

  private func wrong(_ problem: String) -> RecordingError { RecordingError(line: number, problem: problem) }
}
