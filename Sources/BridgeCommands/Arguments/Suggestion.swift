/// "Did you mean": the nearest of a few words.
enum Suggestion {
  /// The candidate that is at most a third of its length away, or nil.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    candidates
      .map { (candidate: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
      .filter { $0.distance <= max(1, $0.candidate.utf8.count / 3) }
      .min { $0.distance < $1.distance }?
      .candidate
  }

  /// The number of bytes to insert, delete, replace or swap with a neighbour (optimal string alignment).
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    guard one.count <= 64, other.count <= 64 else { return .max }
    var rows = [[Int]](repeating: [Int](repeating: 0, count: other.count + 1), count: one.count + 1)
    for index in 0...one.count { rows[index][0] = index }
    for index in 0...other.count { rows[0][index] = index }
    for row in 0..<one.count {
      for column in 0..<other.count {
        let cost = one[row] == other[column] ? 0 : 1
        var best = min(rows[row][column + 1] + 1, rows[row + 1][column] + 1, rows[row][column] + cost)
        if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
          best = min(best, rows[row - 1][column - 1] + 1)
        }
        rows[row + 1][column + 1] = best
      }
    }
    return rows[one.count][other.count]
  }
}
