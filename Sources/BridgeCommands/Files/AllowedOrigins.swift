import Recordings
import WebAuthnClient

/// The origins that the administrator fixed, one a line in `/etc/ctap-bridge/origins`; `#` starts a comment.
enum AllowedOrigins {
  static let path = "/etc/ctap-bridge/origins"

  /// Decides the origin of a ceremony: the one that was given, held against the administrator's list; or the list's
  /// only one.
  ///
  /// It is never taken from the request, because then the RP ID rule would check nothing.
  static func decide(given: String?, command: String, path: String?) throws(CommandFailure) -> Origin {
    let origin = try decided(given: given, command: command, path: path)
    if case .recording(let recorder) = Tape.current { recorder.note(.origin(origin.serialized)) }
    return origin
  }

  private static func decided(given: String?, command: String, path: String?) throws(CommandFailure) -> Origin {
    var given = given
    if case .replay(let player) = Tape.current { given = given ?? player.origin }
    let fixed = try path.flatMap { (path) throws(CommandFailure) in try read(path) }
    guard let given else {
      guard let fixed, let only = fixed.first else {
        throw .usage(UsageError("--origin is missing, the web origin that the request is for.", command: command))
      }
      guard fixed.count == 1 else {
        throw .usage(
          UsageError("--origin is missing, and \(path ?? "") allows more than one; name one of them.", command: command)
        )
      }
      return only
    }
    let origin: Origin
    do throws(WebAuthnError) {
      origin = try Origin(given)
    } catch {
      throw CommandFailure(error)
    }
    if let fixed, !fixed.contains(origin) {
      throw CommandFailure(
        "SecurityError", "The origin \(origin.serialized) is not among those that \(path ?? "") allows.", .badRequest)
    }
    return origin
  }

  /// The administrator's list, or nil where there is no such file.
  private static func read(_ path: String) throws(CommandFailure) -> [Origin]? {
    guard let lines = try AdministratorList.read(path, what: "list of allowed origins") else { return nil }
    var origins: [Origin] = []
    for line in lines {
      do throws(WebAuthnError) {
        origins.append(try Origin(line.text))
      } catch {
        throw line.failure(error.name.rawValue, error.reason)
      }
    }
    guard !origins.isEmpty else {
      throw CommandFailure("SecurityError", "No origin is allowed, because \(path) has none in it.", .configuration)
    }
    return origins
  }
}
