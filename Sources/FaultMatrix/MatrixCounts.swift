/// The counts of a matrix by ceremony and fault.
public struct MatrixCounts: Sendable {
  private var counts: [String: [FaultGroup: [CellResult.End: Int]]] = [:]
  private var ceremonies: [String] = []
  private var altered: [String: Int] = [:]

  /// Creates empty counts.
  public init() {}

  mutating func add(_ result: CellResult) {
    if counts[result.ceremony] == nil { ceremonies.append(result.ceremony) }
    counts[result.ceremony, default: [:]][result.group, default: [:]][result.end, default: 0] += 1
    for part in result.altered { altered[part, default: 0] += 1 }
  }

  /// How many cells ended in these ways.
  public func count(_ ends: CellResult.End...) -> Int {
    counts.values.reduce(0) { sum, groups in sum + groups.values.reduce(0) { $0 + Self.count($1, ends) } }
  }

  private static func count(_ counts: [CellResult.End: Int], _ ends: [CellResult.End]) -> Int {
    ends.reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  /// Three tables in Markdown: by ceremony, by fault, and what differed where a success was altered.
  public var markdown: String {
    let groups = FaultGroup.allCases.filter { group in counts.values.contains { $0[group] != nil } }
    let byCeremony = ceremonies.map { name in
      (name, counts[name, default: [:]].values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) })
    }
    let byGroup = groups.map { group in
      let all = counts.values.compactMap { $0[group] }
      return (group.rawValue, all.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) })
    }
    let parts = altered.sorted { $0.key < $1.key }.map { "| \($0.key) | \($0.value) |" }
    let table = ["| what differed in a success | cells |", "|---|---:|"] + parts
    return Self.table("ceremony", byCeremony) + "\n" + Self.table("fault", byGroup) + "\n"
      + table.joined(separator: "\n") + "\n"
  }

  private static func table(_ title: String, _ rows: [(String, [CellResult.End: Int])]) -> String {
    let ends = CellResult.End.allCases
    var lines = [
      "| \(title) | cells | \(ends.map(\.rawValue).joined(separator: " | ")) |",
      "|---|" + String(repeating: "---:|", count: ends.count + 1),
    ]
    var sums: [CellResult.End: Int] = [:]
    for (name, counts) in rows {
      sums.merge(counts, uniquingKeysWith: +)
      lines.append(line(name, counts))
    }
    lines.append(line("**all**", sums))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ name: String, _ counts: [CellResult.End: Int]) -> String {
    let cells = CellResult.End.allCases.map { counts[$0] ?? 0 }
    return "| \(name) | \(cells.reduce(0, +)) | \(cells.map(String.init).joined(separator: " | ")) |"
  }
}
