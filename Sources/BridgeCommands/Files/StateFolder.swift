#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The user's folder for what must not be lost: `$XDG_STATE_HOME/ctap-bridge`, or `~/.local/state/ctap-bridge`.
enum StateFolder {
  /// Saves bytes in a new file of mode 0600 and returns its path.
  static func save(_ bytes: [UInt8], name: String) throws(SystemError) -> String {
    let folder = try path()
    try makeFolder(folder)
    for number in 1...100 {
      let path = folder + "/" + name + (number == 1 ? "" : "-\(number)") + ".json"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor < 0, errno == EEXIST { continue }
      guard descriptor >= 0 else { throw .last("open") }
      defer { close(descriptor) }
      do throws(SystemError) {
        try StandardStreams.write(bytes, to: descriptor)
        guard fsync(descriptor) == 0 else { throw .last("fsync") }
      } catch {
        unlink(path)
        throw error
      }
      return path
    }
    throw SystemError(operation: "open", code: EEXIST)
  }

  private static func path() throws(SystemError) -> String {
    let state = Terminal.environment("XDG_STATE_HOME")
    // The XDG base directory specification: a path that is not absolute is to be ignored.
    if state.hasPrefix("/") { return state + "/ctap-bridge" }
    let home = Terminal.environment("HOME")
    guard home.hasPrefix("/") else { throw SystemError(operation: "find the home folder", code: ENOENT) }
    return home + "/.local/state/ctap-bridge"
  }

  private static func makeFolder(_ path: String) throws(SystemError) {
    var built = ""
    for part in path.split(separator: "/") {
      built += "/" + part
      guard mkdir(built, 0o700) == 0 || errno == EEXIST || access(built, F_OK) == 0 else { throw .last("mkdir") }
    }
  }
}
