import CBOR
import CTAPMessages
import Octets
import Testing
import VirtualKey

/// Round trips, as the key itself counts them.
@Suite("round trips of a registration")
struct RulesRoundTripTests {
  private func bench(pin: String? = nil) throws -> RulesBench {
    var configuration = VirtualKeyConfiguration()
    configuration.pin = pin.map { SecretBytes(Array($0.utf8)) }
    return try RulesBench(configuration)
  }

  /// What the key took, each request by its command byte; INIT has none.
  private func taken(_ bench: RulesBench) -> [UInt8?] {
    bench.port.log.map(\.event).filter(\.isTransaction).map { event in
      if case .command(let command, _, _) = event { command } else { nil }
    }
  }

  private func request(excluding ids: [[UInt8]] = []) -> String {
    let list = ids.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))"}"# }.joined(separator: ",")
    return RulesRequest.plain.dropLast() + #","excludeCredentials":[\#(list)]}"#
  }

  @Test("without a PIN it takes three: INIT, getInfo, makeCredential")
  func withoutPIN() async throws {
    let bench = try bench()
    let seen = try await bench.register(RulesRequest.plain, pin: nil)
    #expect(seen.outcome["error"] == .text("none"))
    #expect(taken(bench) == [nil, 0x04, 0x01])
  }

  @Test("with a PIN it takes six: the retries, the key agreement and the token more")
  func withPIN() async throws {
    let bench = try bench(pin: "1234")
    let seen = try await bench.register(RulesRequest.plain, pin: "1234")
    #expect(seen.outcome["verifiedFlag"] == .flag(true))
    #expect(taken(bench) == [nil, 0x04, 0x06, 0x06, 0x06, 0x01])
    #expect(seen.exchange == ["INIT", "getInfo", "PIN retries", "key agreement", "token by PIN", "makeCredential"])
  }

  @Test("an exclude list that fits adds none, with a PIN or without", arguments: [nil, "1234"])
  func excludeList(pin: String?) async throws {
    let bench = try bench(pin: pin)
    let others = (0..<60).map { [UInt8](repeating: $0, count: 64) }
    let seen = try await bench.register(request(excluding: others), pin: pin)
    #expect(seen.outcome["error"] == .text("none"))
    #expect(seen.transactions == (pin == nil ? 3 : 6))
    // The list was sent, and is not merely left out.
    let creation = try #require(bench.wire.messages().last)
    #expect(try MakeCredentialRequest(cbor: .map(#require(creation.parameters))).excludeList.count == 60)
  }

  @Test("an exclude list that does not fit costs one silent getAssertion for each batch")
  func longExcludeList() async throws {
    let bench = try bench()
    let others = (0..<130).map { [UInt8](repeating: $0, count: 64) }
    let seen = try await bench.register(request(excluding: others), pin: nil)
    #expect(seen.outcome["error"] == .text("none"))
    #expect(taken(bench) == [nil, 0x04, 0x02, 0x02, 0x02, 0x01])
  }
}
