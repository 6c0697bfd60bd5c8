#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A list that the administrator keeps in a file, one entry a line; `#` starts a comment, and blank lines count for nothing.
enum AdministratorList {
  /// A line with an entry.
  struct Line {
    let text: String
    private let number: Int
    private let path: String

    init(text: String, number: Int, path: String) {
      self.text = text
      self.number = number
      self.path = path
    }

    /// The failure for an entry that cannot be used.
    func failure(_ name: String, _ reason: String) -> CommandFailure {
      CommandFailure(name, "\(reason) It is in line \(number) of \(path).", .configuration)
    }
  }

  /// The entries of the file, or nil where there is none.
  static func read(_ path: String, what: String) throws(CommandFailure) -> [Line]? {
    try content(path, what: what).map { lines($0, of: path) }
  }

  /// The file's content, or nil where there is none. It concerns this machine, and no recording has it.
  static func content(_ path: String, what: String) throws(CommandFailure) -> [UInt8]? {
    guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
    do throws(CommandFailure) {
      return try InputFile.unrecorded(path, limit: 65_536, what: what)
    } catch {
      throw CommandFailure(error.name, error.reason, .configuration)
    }
  }

  /// The entries in a file's content.
  static func lines(_ bytes: [UInt8], of path: String) -> [Line] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      let text = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self).trimmingSpaces
      return text.isEmpty ? nil : Line(text: text, number: index + 1, path: path)
    }
  }
}

extension String {
  /// The text without spaces and tabs at its ends.
  var trimmingSpaces: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let start = firstIndex(where: { !isBlank($0) }), let end = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return String(self[start...end])
  }
}
