internal import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command that runs the fault matrix.
public enum MatrixCommand {
  private static let usage = """
    usage: fault-matrix [options]
      --ceremony NAME   only ceremonies whose name begins so (may be repeated)
      --fault KIND      only this kind of fault (may be repeated)
      --bits N          turn N bits of each report, each in a cell of its own (default 24)
      --stride N        run every Nth cell
      --width N         run N cells side by side (default 2)
      --table           print the counts as Markdown before the last line
      --cell NAME       run one cell and show all of it
      --list            list the ceremonies and the kinds of faults
    """

  /// Runs the command and ends the process.
  public static func run(_ arguments: [String]) async -> Never {
    if arguments.first == "soak" { await soak(arguments.dropFirst()) }
    var selection = MatrixSelection()
    var printsTable = false
    var cell: String?
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--ceremony": selection.ceremonies.append(value(option, &rest))
      case "--fault":
        guard let group = FaultGroup(rawValue: value(option, &rest)) else { refuse("unknown kind of fault") }
        selection.groups.insert(group)
      case "--bits": selection.bits = number(option, &rest)
      case "--stride": selection.stride = number(option, &rest)
      case "--width": selection.width = number(option, &rest)
      case "--table": printsTable = true
      case "--cell": cell = value(option, &rest)
      case "--list":
        print((Ceremony.all.map(\.name) + FaultGroup.allCases.map(\.rawValue)).joined(separator: "\n"))
        exit(0)
      default: refuse("unknown option \(option)")
      }
    }
    if let cell { await show(cell, selection) }
    await runAll(selection, printsTable: printsTable)
  }

  private static func runAll(_ selection: MatrixSelection, printsTable: Bool) async -> Never {
    CrashReport.install()
    let matrix = Matrix(selection, announcer: CrashReport.note) { result in
      for objection in result.objections { print("FAILED \(result.name): \(objection)") }
    }
    do throws(Matrix.Unrunnable) {
      let counts = try await matrix.run()
      if printsTable { print(counts.markdown) }
      let failed = counts.count(.failed)
      print("\(counts.count(.right, .altered, .error)) passed, \(failed) failed")
      exit(failed == 0 && counts.count(.right) > 0 ? 0 : 1)
    } catch {
      refuse(error.description)
    }
  }

  private static func show(_ name: String, _ selection: MatrixSelection) async -> Never {
    for ceremony in Ceremony.all where name.hasPrefix(ceremony.name + "/") {
      guard let (_, undisturbed, faults) = try? await Matrix(selection).prepare(ceremony),
        let fault = faults.first(where: { "\(ceremony.name)/\($0.name)" == name }),
        let run = try? await Run(ceremony, fault, undisturbed: undisturbed, isTracing: true)
      else { continue }
      for line in run.lines { print(line) }
      let objections = fault.expectation.objections(to: run.verdict)
      for objection in objections { print("FAILED: \(objection)") }
      exit(objections.isEmpty ? 0 : 1)
    }
    refuse("there is no cell \(name) (with \(selection.bits) bits)")
  }

  private static func soak(_ arguments: ArraySlice<String>) async -> Never {
    var (count, seed) = (10_000, 1)
    var rest = arguments
    while let option = rest.popFirst() {
      switch option {
      case "--count": count = number(option, &rest)
      case "--seed": seed = number(option, &rest)
      default: refuse("unknown option \(option)")
      }
    }
    await SoakCommand.run(registrations: count, seed: UInt64(seed))
  }

  private static func value(_ option: String, _ rest: inout ArraySlice<String>) -> String {
    guard let value = rest.popFirst() else { refuse("\(option) needs a value") }
    return value
  }

  private static func number(_ option: String, _ rest: inout ArraySlice<String>) -> Int {
    guard let number = Int(value(option, &rest)), number > 0 else { refuse("\(option) needs a number") }
    return number
  }

  private static func refuse(_ words: String) -> Never {
    writeError("fault-matrix: \(words)\n\(usage)\n\(SoakCommand.usage)\n")
    exit(64)
  }
}

/// Writes to standard error.
func writeError(_ text: String) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    guard count > 0 else { return }
    bytes = bytes.dropFirst(count)
  }
}
