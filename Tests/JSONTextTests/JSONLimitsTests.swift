import Testing

@testable import JSONText

@Suite("Limits")
struct JSONLimitsTests {
  private func what(_ text: String, _ limits: JSONLimits = .standard) -> JSONParseError.What? {
    do throws(JSONParseError) {
      _ = try JSONValue.parse(text, limits: limits)
      return nil
    } catch {
      return error.what
    }
  }

  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test("nesting is accepted up to the limit and refused beyond it")
  func depth() {
    #expect(what(nested(64)) == nil)
    #expect(what(nested(65)) == .tooDeep(limit: 64))
    #expect(what(String(repeating: "{\"a\":", count: 65)) == .tooDeep(limit: 64))
    #expect(what(String(repeating: "[", count: 100_000)) == .tooDeep(limit: 64))
    #expect(what("1", JSONLimits(depth: 0)) == nil)
    #expect(what("[]", JSONLimits(depth: 0)) == .tooDeep(limit: 0))
  }

  @Test("no limit lifts the ceiling of the depth, and the ceiling itself is safe")
  func depthCeiling() {
    let limits = JSONLimits(depth: .max)
    #expect(what(nested(JSONLimits.depthCeiling), limits) == nil)
    #expect(what(nested(1_000), limits) == .tooDeep(limit: JSONLimits.depthCeiling))
  }

  @Test("text is accepted up to the size limit and refused beyond it")
  func size() {
    let limits = JSONLimits(size: 10)
    #expect(what("\"12345678\"", limits) == nil)
    #expect(what("\"123456789\"", limits) == .tooLarge(count: 11, limit: 10))
    #expect(what(String(repeating: " ", count: (1 << 20) - 1) + "1") == nil)
    #expect(what(String(repeating: " ", count: 1 << 20) + "1") == .tooLarge(count: (1 << 20) + 1, limit: 1 << 20))
  }

  @Test("values are counted, names among them")
  func values() {
    #expect(what("[1,2,3]", JSONLimits(values: 4)) == nil)
    #expect(what("[1,2,3]", JSONLimits(values: 3)) == .tooManyValues(limit: 3))
    #expect(what("{\"a\":1}", JSONLimits(values: 3)) == nil)
    #expect(what("{\"a\":1}", JSONLimits(values: 2)) == .tooManyValues(limit: 2))
    #expect(what("[" + String(repeating: "0,", count: 300_000) + "0]") == .tooManyValues(limit: 1 << 18))
  }

  // A parser that took time by the square of the members, or that copied the text for each, would not end in a minute.
  @Test("a hundred thousand members are read and found", .timeLimit(.minutes(15)))
  func manyMembers() throws {
    let text = "{" + (0..<100_000).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
    let limits = JSONLimits(size: 4 << 20)
    let value = try JSONValue.parse(text, limits: limits)
    #expect(value["0"]?.integerValue == 0)
    #expect(value["99999"]?.integerValue == 99_999)
    #expect(value["100000"] == nil)
    let members = try #require(value.members)
    #expect(members.count == 100_000)
    #expect(members.allSatisfy { $0.name == $0.value.numberText })
  }

  @Test("a node of the tree stays small, so that the densest text needs twenty times its size at most")
  func nodeSize() {
    #expect(MemoryLayout<JSONStorage.Node>.stride <= 20)
  }
}
