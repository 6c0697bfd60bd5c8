import Foundation
import Testing
import VirtualKey

@testable import BridgeCommands

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Signals")
struct SignalTests {
  private static func touchWait(_ folder: Scratch, terminal: Bool) throws -> Child.Setup {
    Child.Setup(
      arguments: [
        "register", "--origin", Requests.origin, "--key", "virtual:\(folder["key"])", "--presence", "never", "--output",
        folder["response"],
      ], input: Array(try Requests.options().utf8), terminal: terminal)
  }

  @Test(
    "a signal while the key waits for a touch ends with 128 plus its number, a sane terminal and no leftovers",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT], [true, false])
  func touchWait(number: Int32, terminal: Bool) async throws {
    let folder = try Scratch()
    let ending = try await bridge(try Self.touchWait(folder, terminal: terminal)) { child in
      try child.expect("Touch your key now")
      child.signal(number)
    }
    #expect(ending.status == 128 + number && ending.output.isEmpty && ending.echoes)
    let said = ending.error + ending.screen
    #expect(said.contains("ctap-bridge: NotAllowedError: ") && said.contains("was cancelled."), "\(said)")
    #expect(folder.names == ["key.lock"], "no response, no temporary file, no credential")
  }

  @Test("a cancelled wait sends CANCEL to the key")
  func cancel() async throws {
    let folder = try Scratch()
    let request = try folder.write("request", Requests.options())
    var configuration = VirtualKeyConfiguration()
    configuration.presence = .never
    // However late the cancel comes on a busy machine, the key still waits for its touch.
    configuration.touchTimeout = TouchTimeout(after: .seconds(3600))
    let port = try VirtualKeyPort(configuration: configuration)
    let process = InProcess(usb: VirtualKeySource(port))
    let run = Task { await process.run("register", request, "--origin", Requests.origin, "--timeout", "3600") }
    while !port.isWaitingForTouch { try await Task.sleep(for: .milliseconds(2)) }
    run.cancel()
    let ending = await run.value
    #expect(ending.status == .declined)
    #expect(port.log.contains { $0.event == .cancelled(1) })
  }

  @Test(
    "a signal while the request is awaited from stdin, or a FIFO is opened, ends the process",
    arguments: [SIGINT, SIGTERM])
  func input(number: Int32) async throws {
    let folder = try Scratch()
    #expect(mkfifo(folder["fifo"], 0o600) == 0)
    for request in ["/dev/tty", folder["fifo"]] {
      let ending = try await bridge(
        atTerminal: "register", request, "--origin", Requests.origin, "--key", "virtual"
      ) { child in
        // Nothing is shown before the request is there; a signal that comes before the handlers are in place ends the
        // process too, by itself.
        usleep(100_000)
        child.signal(number)
      }
      #expect([128 + number, 1000 + number].contains(ending.status), "\(ending.status)")
    }
  }

  @Test("a success that was written stays a success, and a response that nobody reads is saved when patience ends")
  func blockedOutput() async throws {
    let folder = try Scratch()
    let (readEnd, writeEnd) = try Pipe.make()
    defer {
      close(readEnd)
      close(writeEnd)
    }
    // The pipe is full but for a little, so that the response does not fit.
    _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
    let filling = [UInt8](repeating: 0x20, count: 4096)
    while write(writeEnd, filling, filling.count) > 0 {}
    _ = fcntl(writeEnd, F_SETFL, 0)
    var setup = Child.Setup(
      arguments: ["register", "--origin", Requests.origin, "--key", "virtual"],
      input: Array(try Requests.options().utf8),
      environment: ["XDG_STATE_HOME": folder["state"]])
    setup.outputDescriptor = writeEnd
    let ending = try await bridge(setup) { child in
      try child.expect("Using CTAPBridge")
      usleep(300_000)
      child.signal(SIGINT)
      usleep(100_000)
      child.signal(SIGINT)
    }
    #expect(ending.status == 130)
    #expect(ending.error.contains("exists on the key now; the response was saved in "), "\(ending.error)")
    #expect(folder.names.contains { $0.hasSuffix(".json") })
  }
}
