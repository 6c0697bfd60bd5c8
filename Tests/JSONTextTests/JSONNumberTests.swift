import JSONText
import Testing

@Suite("Numbers")
struct JSONNumberTests {
  @Test(
    "every way of writing an integer is one",
    arguments: [
      ("0", 0), ("-0", 0), ("0.000", 0), ("0e999999999999999999999", 0), ("-0.0e-99999999999999999999", 0), ("1", 1),
      ("-1", -1), ("1.0", 1), ("2e0", 2), ("10e-1", 1), ("1.5e1", 15), ("-2.50E+2", -250), ("0.001e3", 1),
      ("1000000000000000000000000e-24", 1), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("92233720368547758070e-1", .max), ("9.223372036854775807e18", .max), ("-9.223372036854775808e18", .min),
      ("1e18", 1_000_000_000_000_000_000), ("-257", -257), ("300000", 300_000),
    ])
  func integers(_ text: String, _ integer: Int) throws {
    #expect(try JSONValue.parse(text).integerValue == integer)
  }

  @Test(
    "what is no integer or does not fit is none",
    arguments: [
      "1.5", "0.1", "1e-1", "-2.000001", "15e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e20",
      "1e400",
      "-1e400", "1e999999999", "1e-999999999", "1e99999999999999999999999999999999999999", "99999999999999999999",
      "1e-99999999999999999999999999999999999999", "10000000000000000000000", "true", "\"1\"", "null", "[1]",
    ])
  func notIntegers(_ text: String) throws {
    #expect(try JSONValue.parse(text).integerValue == nil)
  }

  @Test("a number of many digits is converted exactly")
  func manyDigits() throws {
    let zeros = String(repeating: "0", count: 100_000)
    #expect(try JSONValue.parse("7\(zeros)e-100000").integerValue == 7)
    #expect(try JSONValue.parse("0.\(zeros)7e100001").integerValue == 7)
    #expect(try JSONValue.parse("0.\(zeros)7e100000").integerValue == nil)
    #expect(try JSONValue.parse("7.\(zeros)1").integerValue == nil)
    #expect(try JSONValue.parse("7.\(zeros)1").doubleValue == 7)
  }

  @Test(
    "floating-point values are the nearest ones",
    arguments: [
      ("0", 0), ("1.5", 1.5), ("-2.5e-3", -0.0025), ("1E2", 100), ("0.1", 0.1),
      ("5e-324", Double.leastNonzeroMagnitude), ("1e-400", 0),
      ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
    ])
  func doubles(_ text: String, _ number: Double) throws {
    #expect(try JSONValue.parse(text).doubleValue == number)
  }

  @Test(
    "a number beyond all floating-point numbers keeps its text only", arguments: ["1e400", "-1e400", "1e999999999"])
  func beyondDouble(_ text: String) throws {
    let value = try JSONValue.parse(text)
    #expect(value.doubleValue == nil)
    #expect(value.numberText == text)
  }

  @Test("minus zero keeps its sign")
  func minusZero() throws {
    #expect(try JSONValue.parse("-0.0").doubleValue?.sign == .minus)
  }
}
