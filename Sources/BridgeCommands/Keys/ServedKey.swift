import CTAPHID
import FIDOCrypto
import Timing
import VirtualKey
import VirtualKeyUSB

/// One virtual key behind a node of the kernel, with its store and a thread of its own.
struct ServedKey: Sendable {
  let host: VirtualKeyHost
  private let configuration: VirtualKeyConfiguration
  private let store: any VirtualKeyStore
  private let number: Int

  /// Makes the node of the key with a number from 1.
  init(
    _ request: VirtualKeyCommand.Request, _ number: Int, _ environment: CommandEnvironment
  ) throws(CommandFailure) {
    self.number = number
    var configuration = request.configuration
    let suffix = number == 1 ? "" : "-\(number)"
    configuration.identity.serialNumber = configuration.identity.serialNumber.map { $0 + suffix }
    let (isVerbose, label) = (request.isVerbose, request.count == 1 ? "virtual key" : "virtual key \(number)")
    configuration.observer = { entry in
      if isVerbose || entry.event.isNotable {
        environment.say("\(label): \(entry.event.sentence)")
      }
    }
    self.configuration = configuration
    store = try Self.store(request.store.map { $0 + suffix })
    do throws(VirtualKeyUSBError) {
      host = try VirtualKeyHost(node: Self.node(request, configuration, number))
    } catch {
      store.release()
      throw CommandFailure(error)
    }
  }

  /// Takes the node away before the key was served.
  func abandon() {
    host.node.close()
    store.release()
  }

  /// Serves the key on a thread of its own until it is stopped or pulls itself out.
  func serve() async -> CommandFailure? {
    await withCheckedContinuation { continuation in
      Threads.detach { continuation.resume(returning: serveHere()) }
    }
  }

  /// Prints the path of the node that programs open, once the kernel has made it.
  func announce(_ environment: CommandEnvironment) async throws(CommandFailure) {
    let clock = SystemClock()
    let limit = clock.now + .seconds(15)
    while !Task.isCancelled, clock.now < limit {
      if let hidraw = host.node.hidraw() {
        environment.say("virtual key \(number): \(hidraw), by way of \(host.node.path)")
        return try environment.write(hidraw)
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
    // A gadget on a real controller shows itself to another machine.
    if !Task.isCancelled { environment.say("virtual key \(number): \(host.node.path)") }
  }

  private func serveHere() -> CommandFailure? {
    defer { store.release() }
    do {
      let key = try VirtualSecurityKey(
        configuration: configuration, store: store, random: SystemRandom(), now: SystemClock().now)
      try host.run(key)
      return nil
    } catch let error as VirtualKeyStoreError {
      host.node.close()
      return CommandFailure(store: error)
    } catch let error as VirtualKeyUSBError {
      return CommandFailure(error)
    } catch {
      return CommandFailure("UnknownError", "\(error)", .software)
    }
  }

  private static func store(_ path: String?) throws(CommandFailure) -> any VirtualKeyStore {
    guard let path else { return MemoryStore() }
    let store = FileStore(path: path)
    let isOurs: Bool
    do throws(VirtualKeyStoreError) { isOurs = try store.acquire() } catch { throw CommandFailure(store: error) }
    guard isOurs else {
      throw CommandFailure("NotReadableError", "Another process uses \(path).", .tryAgain)
    }
    return store
  }

  private static func node(
    _ request: VirtualKeyCommand.Request, _ configuration: VirtualKeyConfiguration, _ number: Int
  ) throws(VirtualKeyUSBError) -> any KernelNode {
    if request.usesGadget {
      return try GadgetNode(
        identity: configuration.identity, reportSizes: configuration.reportSizes, controller: request.controller,
        number: number)
    }
    return try UHIDNode(identity: configuration.identity, reportSizes: configuration.reportSizes, number: number)
  }
}

extension CommandFailure {
  /// A virtual key's store that cannot be used.
  init(store error: VirtualKeyStoreError) {
    self.init("NotReadableError", error.description, .configuration)
  }

  /// A virtual key that cannot be shown to the kernel.
  init(_ error: VirtualKeyUSBError) {
    let status: ExitStatus =
      switch error {
      case .noUHID, .noGadgets, .noMoreGadgets, .noController, .unknownController, .controllerBusy: .unavailable
      case .denied: .noPermission
      case .system: .inputOutput
      }
    self.init("NotReadableError", error.description, status)
  }
}
