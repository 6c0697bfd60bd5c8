import CTAPHID
import CTAPMessages
import Foundation
import JSONText
import Octets
import Testing
import WebAuthnClient

@testable import BridgeCommands

@Suite("What a program is told")
struct ProgramEventTests {
  private static let key = KeyDescription(
    id: "/dev/hidraw3", vendorID: 0x1050, productID: 0x0407, vendor: "Ven\u{1b}dor", product: "Key \u{202e}1",
    serialNumber: nil)
  private static let authenticator = AuthenticatorInfo(
    key: key, abilities: GetInfoResponse(versions: ["FIDO_2_1"], aaguid: AAGUID.zero))
  private static let account = Account(credentialID: [1, 2], userHandle: nil, name: "alice\u{85}", displayName: nil)

  private static func pin(_ occasion: PINRequest.Occasion, _ retries: Int?) -> ProgramEvent {
    .pinNeeded(
      1,
      PINRequest(authenticator: authenticator, retriesLeft: retries, occasion: occasion, attempt: 1, minimumLength: 4))
  }

  private static func newPIN(_ occasion: NewPINRequest.Occasion) -> ProgramEvent {
    .newPINNeeded(
      2,
      NewPINRequest(
        authenticator: authenticator, occasion: occasion, attempt: 1, minimumLength: 6, maximumLength: 63))
  }

  private static func confirmation(_ deed: ConfirmationRequest.Deed, _ phrase: String?) -> ProgramEvent {
    .confirmationNeeded(
      4, ConfirmationRequest(authenticator: authenticator, deed: deed, consequences: "All is lost.", phrase: phrase))
  }

  /// Every event, in each of its forms.
  static let events: [ProgramEvent] =
    [
      .hello, .touchOver(key), .nameNeeded(3, authenticator), .virtualTouchNeeded(5, relyingPartyID: "example.org"),
      .virtualTouchNeeded(6, relyingPartyID: nil), .questionOver(1), .answerRefused(1, reason: "No."),
      .answerRefused(nil, reason: "No."), .note("Hm."), .done, .error(CommandFailure("TypeError", "No.", .badRequest)),
      .accountNeeded(
        7, AccountRequest(authenticator: authenticator, relyingPartyID: "example.org", accounts: [account, account])),
      pin(.needed, 8), pin(.insteadOfBuiltIn, nil), pin(.wrong, 7), pin(.unusable("Too short."), 7),
      newPIN(.first), newPIN(.replacement), newPIN(.unusable("Too short.")),
    ] + ConfirmationRequest.Deed.allCases.map { confirmation($0, nil) } + [confirmation(.reset, "Key 1")]
    + ([
      .keyFound(authenticator), .keySkipped(key, reason: "It is old."), .keyRemoved(key),
      .waitingForKey(.milliseconds(300)), .touchToSelect([key, key]), .keySelected(authenticator),
      .touchNeeded(authenticator), .verificationNeeded(authenticator, retriesLeft: 3),
      .verificationNeeded(authenticator, retriesLeft: nil), .working(authenticator),
      .fingerNeeded(authenticator, samplesLeft: nil), .fingerNeeded(authenticator, samplesLeft: 4),
      .fingerSampled(authenticator, .good, samplesLeft: 3), .fingerSampled(authenticator, .tooFast, samplesLeft: 3),
      .replugNeeded(authenticator, touchWithin: .seconds(10)), .progress(authenticator, done: 1, total: 500),
      .warning("Hm."),
    ] as [CeremonyEvent]).map { .ceremony($0) }

  private static func parsed(_ event: ProgramEvent) throws -> JSONValue {
    try JSONDocument(parsing: Array(event.line.utf8)).root
  }

  @Test("every event is one line that the schema describes, without raw control and direction characters")
  func valid() throws {
    let schema = try #require(JSONSchema.interaction)
    for event in Self.events {
      let errors = schema.errors(try Self.parsed(event), "event")
      #expect(errors.isEmpty, "\(errors): \(event.line)")
      #expect(!event.line.unicodeScalars.contains(where: PlainText.isUnfit), "\(event.line)")
    }
    let key = try #require(try Self.parsed(.touchOver(Self.key))["key"])
    #expect(key["product"]?.stringValue == "Key \u{202e}1", "a program gets the text as it is")
    #expect(key["vendor"]?.stringValue == "Ven\u{1b}dor")
  }

  @Test("the schema describes no event that does not exist, and the documentation tells of all")
  func complete() throws {
    let schema = try #require(JSONSchema.interaction)
    let described = try #require(schema.root["$defs"]?["event"]?["oneOf"]?.elements).compactMap {
      $0["properties"]?["event"]?["const"]?.stringValue
    }
    #expect(Set(described) == Set(try Self.events.map { try Self.parsed($0).name }))
    let page = try String(contentsOf: Binary.package.appendingPathComponent("docs/interaction.md"), encoding: .utf8)
    for name in described { #expect(page.contains("| `\(name)` |"), "\(name)") }
    #expect(schema.root["title"]?.stringValue?.hasSuffix("version \(ProgramEvent.version)") == true)
  }

  @Test("an event that lacks a member, or has one of another type, is not valid under the schema")
  func schemaBites() throws {
    let schema = try #require(JSONSchema.interaction)
    for event in Self.events {
      let members = try #require(try Self.parsed(event).members)
      for index in members.indices {
        var fewer = members.map { ($0.name, JSONOutput.raw($0.value.source)) }
        var other = fewer
        fewer.remove(at: index)
        other[index].1 = ["x"]
        for spoilt in [fewer, other] {
          let value = try JSONDocument(parsing: JSONOutput.object(spoilt).serialized(pretty: false)).root
          #expect(!schema.errors(value, "event").isEmpty, "\(spoilt)")
        }
      }
    }
  }

  @Test("a touch that was asked for is over when the key works, when another event shows it, or at the end")
  func touches() {
    let (one, other) = (Self.key, KeyDescription(id: "/dev/hidraw9", vendorID: 1, productID: 2))
    func over(_ events: [ProgramEvent]) -> [[String]] {
      var touches = PendingTouches()
      return events.map { touches.ended(by: $0).map(\.id) }
    }
    let touch = ProgramEvent.ceremony(.touchNeeded(Self.authenticator))
    #expect(
      over([touch, touch, .note("Hm."), .ceremony(.working(Self.authenticator)), .done]) == [[], [], [], [one.id], []])
    #expect(over([touch, .done]) == [[], [one.id]])
    #expect(over([touch, Self.pin(.wrong, 1), .done]) == [[], [one.id], []])
    #expect(over([touch, .virtualTouchNeeded(1, relyingPartyID: nil), .questionOver(1)]) == [[], [], []])
    let both = ProgramEvent.ceremony(.touchToSelect([one, other]))
    #expect(over([both, .ceremony(.keyRemoved(other)), touch, .done]) == [[], [other.id], [], [one.id]])
    #expect(over([both, .ceremony(.keySelected(Self.authenticator))]) == [[], [one.id, other.id]])
    #expect(over([both, touch]) == [[], [other.id]])
  }
}
