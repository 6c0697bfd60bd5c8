import CTAPHID
import USBHID
import VirtualKey
import WebAuthnClient

/// The keys that a command may use, as `--key` and the virtual key's options say.
struct ChosenSource: Sendable {
  let source: any KeySource
  let choice: CeremonyOptions.KeyChoice
  let isVirtual: Bool
  /// Pulls the virtual key out and plugs it in again, where it is one: no person could.
  private(set) var replugVirtual: (@Sendable () -> Void)?

  init(_ arguments: ParsedArguments, command: String, _ environment: CommandEnvironment) throws(CommandFailure) {
    let option: KeyOption
    do throws(UsageError) {
      option = try KeyOption(arguments["--key"], command: command)
      if case .virtual = option {} else { try VirtualKeyOptions.refuse(arguments, command: command) }
    } catch {
      throw .usage(error)
    }
    switch option {
    case .any:
      source = environment.usb
      choice = .any
      isVirtual = false
    case .named(let name):
      source = environment.usb
      choice = .named(name)
      isVirtual = false
    case .virtual(let file):
      var replug: (@Sendable () -> Void)?
      source = try Tape.current.keys { () throws(CommandFailure) in
        let (virtual, port) = try Self.virtual(file, arguments, command, environment)
        replug = {
          virtual.unplug(id: "virtual")
          virtual.plug(port, id: "virtual")
        }
        return virtual
      }
      replugVirtual = replug
      choice = .named("virtual")
      isVirtual = true
      if !Tape.current.isReplay { environment.say("Using a virtual key, which protects nothing.") }
    }
  }

  private static func virtual(
    _ file: String?, _ arguments: ParsedArguments, _ command: String, _ environment: CommandEnvironment
  ) throws(CommandFailure) -> (VirtualKeySource, VirtualKeyPort) {
    let configuration = try VirtualKeyOptions.configuration(arguments, command: command, environment)
    let store: any VirtualKeyStore = file.map { FileStore(path: $0) } ?? MemoryStore()
    do throws(VirtualKeyStoreError) {
      let port = try VirtualKeyPort(configuration: configuration, store: store)
      return (VirtualKeySource(port), port)
    } catch {
      throw CommandFailure("NotReadableError", error.description, .configuration)
    }
  }

  /// The one key that is meant: the one that was named, or the only one there is.
  func only(command: String) throws(CommandFailure) -> KeyDescription {
    let keys: [KeyDescription]
    do throws(TransportError) { keys = try source.keys() } catch { throw CommandFailure(error) }
    switch choice {
    case .named(let name):
      guard let key = keys.first(where: { $0.id == name || $0.serialNumber == name }) else {
        throw CommandFailure(TransportError.notFound(name))
      }
      return key
    case .any:
      guard let key = keys.first else {
        throw CommandFailure("NotAllowedError", "No security key is plugged in.", .unavailable)
      }
      guard keys.count == 1 else {
        let paths = keys.map(\.label).joined(separator: "; ")
        throw .usage(UsageError("\(keys.count) keys are plugged in; name one with --key: \(paths).", command: command))
      }
      return key
    }
  }
}
