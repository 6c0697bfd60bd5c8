import CBOR
import CTAPMessages
import Testing

@Suite("Every message")
struct EveryMessageTests {
  @Test("is read and written back without loss, with all members and with each one left out", arguments: Sample.all)
  func roundTrip(sample: Sample) throws {
    #expect(try sample.roundTrip(sample.value) == sample.value)
    #expect(try sample.roundTrip(sample.value).encoded() == sample.value.encoded())
    for key in sample.map.keys where !sample.required.contains(key) {
      var map = sample.map
      map[key] = nil
      #expect(try sample.roundTrip(.map(map)) == .map(map), "without \(key)")
    }
  }

  @Test("names the required member that is missing", arguments: Sample.all)
  func missing(sample: Sample) throws {
    for key in sample.required {
      var map = sample.map
      map[key] = nil
      let error = try #require(throws: MessageError.self) { try sample.roundTrip(.map(map)) }
      #expect(error.problem == .missing)
      #expect(error.number == key.intValue)
      #expect(key.textValue.map { $0 == error.member } ?? !error.member.isEmpty)
      #expect(sample.description.hasPrefix(error.message))
      #expect(error.status == .missingParameter)
    }
  }

  @Test("refuses each known member when its type is wrong, and names it", arguments: Sample.all)
  func wrongType(sample: Sample) throws {
    let known = sample.map.keys
    for key in known {
      // No member of any message is a floating-point number or null.
      for wrong in [CBORValue.float(1), .null] {
        var map = sample.map
        map[key] = wrong
        let error = try #require(throws: MessageError.self) { try sample.roundTrip(.map(map)) }
        guard case .wrongType(let expected, let found) = error.problem else {
          Issue.record("\(error)")
          continue
        }
        #expect(!expected.isEmpty)
        #expect(found == (wrong == .null ? "null" : "floating-point number"))
        #expect(error.number == key.intValue)
        #expect(error.status == .cborUnexpectedType)
      }
    }
  }

  @Test("keeps members that it does not know, whatever they are", arguments: Sample.all)
  func unknown(sample: Sample) throws {
    var map = sample.map
    map[0x7777] = .tagged(0, .null)
    map["vendor"] = ["deep": [1.asFloat, .undefined, .simple(99)]]
    map[.bytes([1])] = .bool(true)
    let result = try sample.roundTrip(.map(map))
    #expect(result == (sample.keepsUnknown ? .map(map) : sample.value))
  }

  @Test("is a map and nothing else", arguments: Sample.all, [CBORValue.array([]), .bytes([1]), .text("x"), .int(1)])
  func notAMap(sample: Sample, value: CBORValue) throws {
    let error = try #require(throws: MessageError.self) { try sample.roundTrip(value) }
    guard case .wrongType(expected: "map", _) = error.problem else {
      Issue.record("\(error)")
      return
    }
    #expect(error.member.isEmpty)
  }

  @Test("cut at any byte is an error", arguments: Sample.all)
  func truncation(sample: Sample) {
    let bytes = sample.value.encoded()
    for length in 0..<bytes.count {
      #expect(throws: CBORError.self) { try sample.roundTrip(CBORDecoder.decode(Array(bytes[..<length]))) }
    }
  }

  @Test("with any byte changed is an error or a value that is written and read again", arguments: Sample.all)
  func mutation(sample: Sample) throws {
    let bytes = sample.value.encoded()
    for position in bytes.indices {
      for mask in [0x01, 0x20, 0x61, 0xff] as [UInt8] {
        var changed = bytes
        changed[position] ^= mask
        do {
          let value = try sample.roundTrip(CBORDecoder.decode(changed))
          #expect(try sample.roundTrip(CBORDecoder.decode(value.encoded())) == value)
        } catch {
          #expect(error is CBORError || error is MessageError)
        }
      }
    }
  }
}

extension Int {
  fileprivate var asFloat: CBORValue { .float(Double(self)) }
}
