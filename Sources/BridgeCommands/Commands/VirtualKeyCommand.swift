import CTAPHID
import FIDOCrypto
import Timing
import VirtualKey
import VirtualKeyUSB
import WebAuthnClient

/// `ctap-bridge virtual-key`: shows virtual keys to the kernel until it is stopped.
enum VirtualKeyCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "virtual-key",
    summary: "show a virtual key to this machine's programs, for tests",
    discussion: """
      Shows a FIDO2 key in software to the kernel, so that any program on this machine finds it like a real one: a
      browser, ssh-keygen, a test. It prints the path of each key's node and serves the keys until SIGINT or SIGTERM.
      SIGUSR1 touches all of them at once; keys that are to be touched one by one need a process each.

      It protects nothing: whoever can read this process or its store has its keys.

      Linux alone; needs the right to open /dev/uhid, or to make gadgets in configfs, which root has.
      """,
    options: [
      OptionSpecification("--uhid", help: "Through /dev/uhid: a HID device without a bus."),
      OptionSpecification("--gadget", help: "As a USB gadget, on a device controller or an emulated one\n(dummy_hcd)."),
      OptionSpecification("--udc", "NAME", help: "The USB device controller (default: the first that is free)."),
      OptionSpecification("--count", "N", help: "How many keys, 1 to 16 (default: 1)."),
      OptionSpecification(
        "--store", "FILE", help: "Keep the key's state in a file of mode 0600;\nfurther keys use FILE-2, FILE-3 …"),
      OptionSpecification("--vendor", "TEXT", help: "The vendor's name."),
      OptionSpecification("--product", "TEXT", help: "The product's name."),
      OptionSpecification("--serial", "TEXT", help: "The serial number; further keys append -2, -3 …"),
      OptionSpecification("--verbose", help: "Write every event to stderr, each request too."),
      OptionSpecification("--unplug-after-sending", "N", help: "Pull the key out when it has sent N reports."),
      OptionSpecification("--unplug-after-receiving", "N", help: "Pull the key out when it has received N reports."),
    ] + VirtualKeyOptions.withSignal,
    opensKeys: false)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let request = try Request(arguments, environment)
    environment.say("A virtual key protects nothing: whoever can read this process or its store has its keys.")
    var served: [ServedKey] = []
    do throws(CommandFailure) {
      for number in 1...request.count { served.append(try ServedKey(request, number, environment)) }
    } catch {
      for key in served { key.abandon() }
      throw error
    }
    let keys = served
    Signals.onTouch { for key in keys { key.host.touch() } }
    let failure = await withTaskCancellationHandler {
      await serve(keys, environment)
    } onCancel: {
      for key in keys { key.host.stop() }
    }
    if let failure { throw failure }
  }

  /// Serves the keys, tells their nodes, and returns when all have ended, with the first failure.
  private static func serve(_ keys: [ServedKey], _ environment: CommandEnvironment) async -> CommandFailure? {
    await withTaskGroup(of: CommandFailure?.self) { group in
      for key in keys { group.addTask { await key.serve() } }
      group.addTask {
        do throws(CommandFailure) {
          for key in keys { try await key.announce(environment) }
          return nil
        } catch {
          return error
        }
      }
      var first: CommandFailure?
      for await case let failure? in group {
        first = first ?? failure
        for key in keys { key.host.stop() }
      }
      return first
    }
  }

  /// What the command line asks for.
  struct Request {
    let usesGadget: Bool
    let controller: String?
    let count: Int
    let store: String?
    let configuration: VirtualKeyConfiguration
    let isVerbose: Bool

    init(_ arguments: ParsedArguments, _ environment: CommandEnvironment) throws(CommandFailure) {
      let command = specification.name
      var configuration = try VirtualKeyOptions.configuration(arguments, command: command, environment)
      do throws(UsageError) {
        guard arguments.has("--uhid") != arguments.has("--gadget") else {
          throw UsageError("Say either --uhid or --gadget.", command: command)
        }
        usesGadget = arguments.has("--gadget")
        controller = arguments["--udc"]
        count = try Self.number("--count", arguments, 1...16) ?? 1
        if controller != nil {
          guard usesGadget else { throw UsageError("--udc is for --gadget.", command: command) }
          guard count == 1 else { throw UsageError("--udc has room for one key.", command: command) }
        }
        if let reports = try Self.number("--unplug-after-sending", arguments, 1...1_000_000) {
          configuration.faults.faults.append(.unplugAfterSending(reports))
        }
        if let reports = try Self.number("--unplug-after-receiving", arguments, 1...1_000_000) {
          configuration.faults.faults.append(.unplugAfterReceiving(reports))
        }
      } catch {
        throw .usage(error)
      }
      store = arguments["--store"]
      if let vendor = arguments["--vendor"] { configuration.identity.vendor = vendor }
      if let product = arguments["--product"] { configuration.identity.product = product }
      configuration.identity.serialNumber = arguments["--serial"]
      self.configuration = configuration
      isVerbose = arguments.has("--verbose")
    }

    private static func number(
      _ name: String, _ arguments: ParsedArguments, _ range: ClosedRange<Int>
    ) throws(UsageError) -> Int? {
      guard let text = arguments[name] else { return nil }
      guard let number = Int(text), range.contains(number) else {
        throw UsageError(
          "\(name) is a number from \(range.lowerBound) to \(range.upperBound), not \(PlainText.quoted(text)).",
          command: specification.name)
      }
      return number
    }
  }
}
