internal import VirtualKey

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command that runs a soak.
enum SoakCommand {
  static let usage = """
    usage: fault-matrix soak [options]
      --count N   registrations, each with a sign-in after it (default 10000)
      --seed N    draw other faults (default 1)
    """

  /// Some years' work.
  private static let mostRegistrations = 100_000_000

  /// Runs a soak and ends the process.
  static func run(registrations: Int, seed: UInt64) async -> Never {
    CrashReport.install()
    let count = 2 * min(registrations, mostRegistrations)
    var soak: Soak
    do throws(VirtualKeyStoreError) {
      soak = try Soak(count: count, seed: seed)
      print("ceremonies  registered  signed in   memory KiB   heap KiB  files  threads")
      try await soak.run(
        beginning: { CrashReport.note("ceremony \($0)") },
        figures: { done, figures, accounts in
          print(
            [
              (done, 10), (accounts.returned, 12), (accounts.signedIn, 11), (figures.resident, 13),
              (figures.heap / 1024, 11), (figures.descriptors, 7), (figures.threads, 9),
            ].map { number, width in
              String(repeating: " ", count: max(1, width - "\(number)".count)) + "\(number)"
            }.joined())
          fflush(nil)
        }, objection: { print("FAILED \($0)") })
    } catch {
      writeError("fault-matrix: \(error)\n")
      exit(1)
    }
    let accounts = soak.accounts
    print(
      """
      credentials: the key made \(accounts.made); \(accounts.returned) were returned, \(accounts.told) told of in an error
      signatures: the key gave \(accounts.signatures) for \(accounts.signedIn) sign-ins that succeeded
      faults: \(soak.faults); \(CellResult.End.allCases.map { "\($0.rawValue) \(soak.ends[$0] ?? 0)" }.joined(separator: ", "))
      \(count - min(count, soak.failed)) passed, \(soak.failed) failed
      """)
    exit(soak.failed == 0 ? 0 : 1)
  }
}
