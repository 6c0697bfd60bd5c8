import CBOR
import Testing

@Suite("Values and maps")
struct ValueTests {
  @Test("an accessor answers for its own kind only")
  func accessors() {
    let values: [CBORValue] = [
      5, .bytes([1]), "a", [1], [1: 2], true, .null, .undefined, .simple(1), .float(1), .tagged(1, 1),
    ]
    #expect(values.map(\.intValue) == [5] + [Int?](repeating: nil, count: 10))
    #expect(values.compactMap(\.bytesValue) == [[1]])
    #expect(values.compactMap(\.textValue) == ["a"])
    #expect(values.compactMap(\.arrayValue) == [[1]])
    #expect(values.compactMap(\.mapValue) == [[1: 2]])
    #expect(values.compactMap(\.boolValue) == [true])
  }

  @Test(
    "an integer that fits is one, and one that does not is none",
    arguments: [
      (.unsigned(UInt64(Int.max)), .max), (.unsigned(UInt64(Int.max) + 1), nil), (.unsigned(.max), nil),
      (.negative(UInt64(Int.max)), .min), (.negative(UInt64(Int.max) + 1), nil), (.negative(.max), nil),
      (.negative(0), -1),
    ] as [(CBORValue, Int?)])
  func integers(_ value: CBORValue, _ integer: Int?) {
    #expect(value.intValue == integer)
    if let integer { #expect(CBORValue.int(integer) == value) }
  }

  @Test("equal values have equal hashes, and different kinds differ")
  func equality() {
    let values: [CBORValue] = [
      0, -1, .bytes([]), "", [], [:], .tagged(0, 0), .tagged(1, 0), .tagged(0, 1), true, false, .null, .undefined,
      .simple(0), .simple(1), .float(0), .float(-0.0), .float(.nan), .float(1), 1, -2, .bytes([0]), "\u{e9}",
      "e\u{301}",
      [0], [0: 0], [0: 1], [1: 0],
    ]
    for (position, value) in values.enumerated() {
      #expect(values.firstIndex(of: value) == position)
      #expect(values.count { $0 == value } == 1)
    }
    #expect(Set(values + values).count == values.count)
  }

  @Test("a map is the same in any order")
  func mapEquality() {
    let one: CBORMap = [1: "a", 2: "b", "x": [1]]
    let other: CBORMap = ["x": [1], 2: "b", 1: "a"]
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(one != [1: "a", 2: "b"])
    #expect(one != [1: "a", 2: "c", "x": [1]])
    #expect(one != [1: "a", 3: "b", "x": [1]])
    #expect(one.keys != other.keys)
    #expect(one.encoded() == other.encoded())
  }

  @Test("setting replaces in place, appends, and removes", arguments: [3, 16, 17, 100])
  func mapEditing(_ count: Int) {
    var map = CBORMap()
    #expect(map.isEmpty)
    for number in 0..<count { map[number] = .int(number) }
    map[1] = "one"
    map["new"] = true
    map[.bytes([7])] = .null
    #expect(map.count == count + 2)
    #expect(map[1] == "one")
    #expect(map["new"] == true)
    #expect(map[.bytes([7])] == .null)
    #expect(map.keys.prefix(3) == [0, 1, 2])
    map[0] = nil
    map["absent"] = nil
    #expect(map.count == count + 1)
    #expect(map[0] == nil)
    #expect(map[count - 1] == .int(count - 1))
    #expect(map.keys.first == 1)
    for key in map.keys { map[key] = nil }
    #expect(map.isEmpty)
    map[5] = 6
    #expect(map[5] == 6)
  }

  @Test("keys that are arrays or maps are found")
  func compoundKeys() {
    var map: CBORMap = [[1, 2]: "array", [1: 2]: "map", 3: "number", .tagged(1, 1): "tagged"]
    #expect(map[[1, 2]] == "array")
    #expect(map[CBORValue.map([1: 2])] == "map")
    #expect(map[.tagged(1, 1)] == "tagged")
    #expect(map[3] == "number")
    map[[1, 2]] = nil
    #expect(map[[1, 2]] == nil)
    #expect(map[3] == "number")
  }

  @Test("a key that comes twice in a literal keeps its last value")
  func duplicateLiteral() {
    let map: CBORMap = [1: "a", 2: "b", 1: "c"]
    #expect(map.keys == [1, 2])
    #expect(map[1] == "c")
    #expect(CBORValue.map(map) == [1: "c", 2: "b"])
  }

  @Test(
    "the description is diagnostic notation on one line, safe for a terminal",
    arguments: [
      (["a\"\\\n\u{1b}[31m\u{9b}\u{7f}\u{e9}": 1], #"{"a\"\\\u000a\u001b[31m\u009b\u007fé": 1}"#),
      ([.negative(.max), -1, .int(.min)], "[-18446744073709551616, -1, -9223372036854775808]"),
      ([.float(.nan), .float(-.infinity), .float(.infinity), .float(0.5)], "[NaN, -Infinity, Infinity, 0.5]"),
    ] as [(CBORValue, String)])
  func descriptions(_ value: CBORValue, _ text: String) {
    #expect(value.description == text)
  }
}
