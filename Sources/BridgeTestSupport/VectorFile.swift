public import JSONText

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Files of test vectors.
public enum VectorFile {
  /// Reads a whole file.
  public static func bytes(at path: String) throws(VectorFileError) -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      bytes += chunk.prefix(count)
      if count < chunk.count { break }
    }
    guard ferror(file) == 0 else { throw .unreadable(path: path, reason: "the read failed") }
    return bytes
  }

  /// Reads a file that is one JSON text.
  public static func json(at path: String) throws(VectorFileError) -> JSONValue {
    let bytes = try bytes(at: path)
    do {
      return try JSONDocument(parsing: bytes).root
    } catch {
      throw .notJSON(path: path, error)
    }
  }
}

/// Why a file of test vectors cannot be used.
public enum VectorFileError: Error {
  /// The file cannot be read.
  case unreadable(path: String, reason: String)
  /// The file is not JSON.
  case notJSON(path: String, JSONParseError)
}
