public import CTAPHID
internal import Octets

/// What one run of a command exchanged with its keys and was given by its user, in order.
///
/// The text form has a JSON object on each line: the header first, then the events, each with its time.
public struct Recording: Sendable {
  /// What was run.
  public var header: RecordingHeader
  /// What happened, in order.
  public var events: [RecordedEvent]

  /// Creates a recording.
  public init(header: RecordingHeader, events: [RecordedEvent]) {
    self.header = header
    self.events = events
  }

  /// The version of the text form.
  public static let formatVersion = 1
}

/// What a recording is of.
public struct RecordingHeader: Hashable, Sendable {
  /// The program that made the recording, with its version.
  public var program: String
  /// The command's name.
  public var command: String
  /// The command line without what names files, secrets and virtual keys.
  public var arguments: [String]
  /// Whether there was somebody to ask.
  public var isAttended: Bool
  /// Whether PINs and secrets are in it.
  public var hasSecrets: Bool

  /// Creates a header.
  public init(program: String, command: String, arguments: [String], isAttended: Bool, hasSecrets: Bool) {
    self.program = program
    self.command = command
    self.arguments = arguments
    self.isAttended = isAttended
    self.hasSecrets = hasSecrets
  }
}

/// Something that happened while a command ran.
public struct RecordedEvent: Hashable, Sendable {
  /// The time since the command began, in milliseconds.
  public var milliseconds: Int
  /// What it was.
  public var kind: Kind

  /// Creates an event.
  public init(milliseconds: Int, kind: Kind) {
    self.milliseconds = milliseconds
    self.kind = kind
  }

  /// What can happen. Keys are named by their identifiers, which are their paths on Linux.
  public enum Kind: Hashable, Sendable {
    /// A file was read, such as the request.
    case file(what: String, content: [UInt8])
    /// A secret was read from a file or descriptor; nil where it is not in the recording.
    case secret(what: String, content: [UInt8]?)
    /// The origin of the ceremony was decided.
    case origin(String)
    /// A question was answered.
    case answer(question: String, RecordedAnswer)
    /// The keys were listed.
    case keys([KeyDescription])
    /// A key was plugged in.
    case arrived(KeyDescription)
    /// A key was pulled out.
    case removed(String)
    /// A key was opened.
    case opened(key: String, ReportSizes)
    /// A key could not be opened.
    case notOpened(key: String, TransportError)
    /// Random bytes were drawn for a key; private ones are in recordings with secrets alone.
    case draw(key: String, bytes: [UInt8], isPrivate: Bool)
    /// A report was sent or received.
    case report(key: String, ReportDirection, RecordedReport)
    /// Sending or receiving failed.
    case failed(key: String, ReportDirection, TransportError)
    /// A key was closed.
    case closed(key: String)
    /// The command was interrupted.
    case cancelled
    /// The command ended with an exit status.
    case ended(status: Int)
  }
}

/// Which way a report goes.
public enum ReportDirection: String, Hashable, Sendable {
  /// From the host to the key.
  case toKey
  /// From the key to the host.
  case fromKey
}

/// What whoever runs a command answered to a question.
public enum RecordedAnswer: Hashable, Sendable {
  /// A text, as its bytes.
  case text([UInt8])
  /// A secret. Equal ones have the same number, which counts from 0; the content is in recordings with secrets alone.
  case secret(number: Int, content: [UInt8]?)
  /// That there is no answer.
  case nothing
  /// That the command is to be cancelled.
  case cancelled
}

/// A report in which some bytes may be redacted.
public struct RecordedReport: Hashable, Sendable {
  /// The bytes, zero where they are redacted.
  public let bytes: [UInt8]
  /// Which bytes are redacted; as long as `bytes`.
  public let isHidden: [Bool]

  /// Creates a report, and forgets the bytes that are to be redacted.
  ///
  /// - Parameters:
  ///   - bytes: the report.
  ///   - isHidden: which of them to redact; what it lacks at its end is not redacted.
  public init(_ bytes: [UInt8], hiding isHidden: [Bool] = []) {
    let hidden = bytes.indices.map { $0 < isHidden.count && isHidden[$0] }
    self.isHidden = hidden
    self.bytes = zip(bytes, hidden).map { $1 ? 0 : $0 }
  }

  /// Two characters a byte: hexadecimal digits, or two asterisks where it is redacted.
  public var text: String {
    zip(bytes, isHidden).map { $1 ? "**" : Hex.encode([$0]) }.joined()
  }

  /// Reads the text form; nil where it is anything else.
  public init?(text: String) {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var hidden: [Bool] = []
    for index in stride(from: 0, to: characters.count, by: 2) {
      let pair = characters[index...index + 1]
      let isMasked = pair.allSatisfy { $0 == UInt8(ascii: "*") }
      guard let byte = isMasked ? 0 : Hex.decode(String(decoding: pair, as: UTF8.self))?.first else { return nil }
      bytes.append(byte)
      hidden.append(isMasked)
    }
    self.init(bytes, hiding: hidden)
  }

  /// Whether `other` is this report in all that is not redacted.
  public func matches(_ other: [UInt8]) -> Bool {
    other.count == bytes.count && zip(zip(bytes, isHidden), other).allSatisfy { $0.1 || $0.0 == $1 }
  }
}
