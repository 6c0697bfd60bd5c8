import Foundation

/// The built command.
enum Binary {
  /// Beside the test bundle, where the build puts both.
  static let path: String = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [bundle, Bundle.main.bundleURL, bundle.deletingLastPathComponent()]
    let paths = candidates.map { $0.appendingPathComponent("ctap-bridge").path }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? paths[0]
  }()

  /// The root of the package.
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The child's environment: what tools around the tests need, a terminal's name, and what a test adds.
  static func environment(_ added: [String: String]) -> [String] {
    let passed = ProcessInfo.processInfo.environment.filter { name, _ in
      ["LLVM_", "ASAN_", "TSAN_", "LSAN_", "SWIFT_", "LD_LIBRARY_PATH", "TMPDIR"].contains { name.hasPrefix($0) }
    }
    return passed.merging(["PATH": "/usr/bin:/bin", "TERM": "xterm"]) { $1 }.merging(added) { $1 }
      .map { "\($0.key)=\($0.value)" }
  }
}

/// A few children at a time: a machine that is busy with all of them at once makes each of them late.
actor Gate {
  static let children = Gate(4)

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}

/// Runs the command, with `steps` at its terminal, and waits for its end on a thread of its own.
func bridge(
  _ setup: Child.Setup, _ steps: @escaping @Sendable (Child) throws -> Void = { _ in }
) async throws -> Child.Ending {
  await Gate.children.enter()
  let result: Result<Child.Ending, any Error> = await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(
        returning: Result {
          let child = try Child(setup)
          try steps(child)
          return try child.finish()
        })
    }
  }
  await Gate.children.leave()
  return try result.get()
}

/// Runs the command without a terminal.
func bridge(_ arguments: String..., input: String = "", environment: [String: String] = [:]) async throws
  -> Child.Ending
{
  try await bridge(
    Child.Setup(arguments: arguments, input: Array(input.utf8), environment: environment))
}

/// Runs the command at a terminal.
func bridge(
  atTerminal arguments: String..., input: String = "", environment: [String: String] = [:],
  _ steps: @escaping @Sendable (Child) throws -> Void = { _ in }
) async throws -> Child.Ending {
  try await bridge(
    Child.Setup(arguments: arguments, input: Array(input.utf8), terminal: true, environment: environment), steps)
}

/// Whether the tests were built with a sanitizer, which keeps memory that was given back, and needs a lot itself.
enum Sanitizer {
  static let isOn: Bool = ["__asan_init", "__tsan_init"].contains { (name: String) in
    #if canImport(Darwin)
      dlsym(UnsafeMutableRawPointer(bitPattern: -2), name) != nil
    #else
      dlsym(nil, name) != nil
    #endif
  }
}
