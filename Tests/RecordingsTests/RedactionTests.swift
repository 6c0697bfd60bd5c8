import BridgeTestSupport
import CTAP2
import CTAPHID
import CTAPMessages
import Octets
import Testing

@testable import Recordings

@Suite("Redaction")
struct RedactionTests {
  static let ceremonies = Result { try [PINUVAuthProtocol.one, .two].map { try Ceremony($0) } }

  /// Reports as a recording without secrets has them, in order.
  private static func redacted(_ reports: [(direction: ReportDirection, bytes: [UInt8])]) -> [RecordedReport] {
    var redactor = Redactor()
    var decisions = reports.enumerated().flatMap { ticket, report in
      redactor.take(report.bytes, report.direction, ticket: ticket)
    }
    decisions += redactor.flush()
    #expect(Set(decisions.map(\.ticket)).count == reports.count && decisions.count == reports.count)
    return decisions.sorted { $0.ticket < $1.ticket }.map(\.report)
  }

  /// Whether any eight bytes of a secret stand in reports, across their borders too.
  private static func leaks(
    _ reports: [(direction: ReportDirection, bytes: [UInt8])], _ search: Search
  ) -> Bool {
    let left = redacted(reports)
    return [ReportDirection.toKey, .fromKey].contains { direction in
      search.finds(in: zip(reports, left).filter { $0.0.direction == direction }.flatMap { $0.1.data })
    }
  }

  @Test("No PIN, PIN hash, token, output, key or encrypted form of them is in a recording without secrets")
  func nothingLeaks() throws {
    for ceremony in try Self.ceremonies.get() {
      #expect(ceremony.secrets.count > 30)
      #expect(ceremony.secrets.allSatisfy { $0.bytes.count >= 8 })
      let search = Search(ceremony.secrets)
      let text = ceremony.redacted.text
      for place in [ceremony.redacted.data(), text, Search.digits(in: text)] { #expect(!search.finds(in: place)) }
      // The search finds what is there.
      for name in ["token, encrypted", "largeBlobKey", "hmac-secret, encrypted", "private scalar"] {
        let search = Search(ceremony.secrets.filter { $0.name == name })
        #expect(search.finds(in: ceremony.clear.data()) || search.finds(in: Search.digits(in: ceremony.clear.text)))
      }
      #expect(Search(ceremony.secrets.filter { $0.name == "PIN" }).finds(in: Search.digits(in: ceremony.clear.text)))
    }
  }

  @Test("What is not secret is still there: as many reports, as long, and the same outside the redacted bytes")
  func shape() throws {
    for ceremony in try Self.ceremonies.get() {
      let (clear, redacted) = (ceremony.clear.events, ceremony.redacted.events)
      let reports = redacted.compactMap { event -> RecordedReport? in
        if case .report(_, _, let report) = event.kind { report } else { nil }
      }
      let originals = ceremony.clear.reports
      #expect(reports.count == originals.count && reports.count > 50)
      for (report, original) in zip(reports, originals) { #expect(report.matches(original.bytes)) }
      let hidden = reports.reduce(0) { $0 + $1.isHidden.count { $0 } }
      #expect((500...3000).contains(hidden))
      // Private draws alone are left out.
      #expect(
        clear.count - redacted.count == clear.count { if case .draw(_, _, true) = $0.kind { true } else { false } })
      #expect(redacted.map(\.milliseconds) == redacted.map(\.milliseconds).sorted())
    }
  }

  @Test("A recording that is cut anywhere, in the middle of a message too, leaks nothing")
  func cut() throws {
    for ceremony in try Self.ceremonies.get() {
      let reports = ceremony.clear.reports
      let search = Search(ceremony.secrets)
      for count in reports.indices {
        // What comes before the last messages is decided on already.
        #expect(!Self.leaks(Array(reports[max(0, count - 12)..<count]), search), "cut after \(count) reports")
      }
    }
  }

  @Test("A report that is lost, repeated, spoilt or out of its order leaks nothing")
  func damage() throws {
    for ceremony in try Self.ceremonies.get() {
      let reports = ceremony.clear.reports
      let search = Search(ceremony.secrets)
      for index in reports.indices {
        // What comes later is as it was; a few messages are enough to see what the damage does.
        var damaged = Array(reports[max(0, index - 8)..<min(reports.count, index + 8)])
        let middle = min(index, 8)
        let kept = damaged
        damaged.remove(at: middle)
        #expect(!Self.leaks(damaged, search), "without report \(index)")
        damaged = kept
        damaged.insert(kept[middle], at: middle)
        #expect(!Self.leaks(damaged, search), "report \(index) twice")
        damaged = kept
        damaged.swapAt(max(0, middle - 1), middle)
        #expect(!Self.leaks(damaged, search), "report \(index) early")
        damaged = kept
        damaged[middle].bytes[5] ^= 0x41
        #expect(!Self.leaks(damaged, search), "report \(index) spoilt")
      }
    }
  }

  @Test("An answer that comes to a request of another kind is shown no further than both allow")
  func staleAnswers() throws {
    for ceremony in try Self.ceremonies.get() {
      let answers = try ceremony.clear.messages().compactMap { message -> [UInt8]? in
        if case .message(.fromKey, let payload) = message { payload } else { nil }
      }
      let search = Search(ceremony.secrets)
      for answer in answers {
        for code in Array(0...0x0f) + [0x40, 0x41, 0x7f, 0xff] as [UInt8] {
          let mask = MessageMask.answer(.cbor, answer, to: (.cbor, [code]))
          #expect(!search.finds(in: zip(answer, mask).map { $1 ? 0 : $0 }), "an answer to \(code)")
        }
        #expect(!MessageMask.answer(.cbor, answer, to: nil).dropFirst().contains(false))
        #expect(!MessageMask.answer(.msg, answer, to: (.cbor, [6])).contains(false))
        #expect(!MessageMask.answer(.ping, answer, to: (.ping, [6])).contains(false))
      }
    }
  }

  @Test("What belongs to other programs on the same key, and what fills reports up, is redacted")
  func foreign() throws {
    let own = Packet.initial(channel: ChannelID(rawValue: 7), command: .cbor, length: 1, data: [4]).report(size: 64)
    let foreign = Packet.initial(channel: ChannelID(rawValue: 8), command: .cbor, length: 3, data: [0, 1, 2]).report(
      size: 64)
    var leftover = Packet.initial(channel: ChannelID(rawValue: 7), command: .keepAlive, length: 1, data: [2]).report(
      size: 64)
    leftover[20] = 0x99
    let texts = Self.redacted([(.toKey, own), (.fromKey, foreign), (.fromKey, leftover)]).map(\.text)
    #expect(texts[0] == Hex.encode(own))
    #expect(texts[1] == "00000008900003" + String(repeating: "**", count: 57))
    #expect(
      texts[2] == "00000007bb000102" + String(repeating: "00", count: 12) + "**" + String(repeating: "00", count: 43))
  }

  @Test(
    "Requests of unknown commands, of vendors and of no form are redacted whole",
    arguments: [
      (CTAPHIDCommand.cbor, [0x50, 0xa1, 0x01, 0x41, 0x07]), (.cbor, [0x06, 0xff, 0x07]), (.cbor, [0x06, 0xa1, 0x01]),
      (.cbor, [0x06, 0xa1, 0x01, 0x02, 0x07]), (CTAPHIDCommand(rawValue: 0x41), [1, 2]), (.msg, [1, 2]),
      (.msg, [0, 9, 0, 0]),
    ] as [(CTAPHIDCommand, [UInt8])])
  func unknownRequests(_ command: CTAPHIDCommand, _ payload: [UInt8]) {
    let mask = MessageMask.request(command, payload)
    #expect(mask == payload.indices.map { !(command == .cbor && $0 == 0) })
  }
}
