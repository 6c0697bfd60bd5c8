import CTAP2
import CTAPHID
import CTAPMessages
import Testing

@testable import BridgeCommands
@testable import WebAuthnClient

@Suite("The words for each status byte")
struct StatusSentenceTests {
  private static let key = KeyDescription(id: "desk", vendorID: 1, productID: 2, product: "Desk key")

  /// The bytes about PIN and verification, which have errors of their own.
  private static let verification: [UInt8: (VerificationFailure, BridgeCommands.ExitStatus, String)] = [
    0x31: (.pinInvalid(nil), .pin, "the PIN is wrong"),
    0x32: (.pinBlocked, .pin, "its PIN is blocked; it has to be reset, which deletes its credentials"),
    0x34: (.pinAuthBlocked, .pin, "too many wrong PINs in a row; pull it out, plug it in and try again"),
    0x35: (.pinNotSet, .pin, "it has no PIN; set one first"),
    0x37: (.pinMustChange, .pin, "its PIN must be changed before it is used"),
    0x3c: (.uvBlocked, .declined, "its own user verification is blocked"),
    0x3f: (.uvInvalid(retries: nil), .declined, "it did not recognise its holder"),
  ]

  /// The bytes that have an exit status of their own; any other one is a refusal.
  private static let exits: [UInt8: BridgeCommands.ExitStatus] = [
    0x28: .unavailable, 0x2e: .unavailable, 0x2f: .tryAgain, 0x3a: .tryAgain,
  ]

  @Test("are one line with its cause and an exit status, for each command", arguments: CTAPCommand.allCases)
  func sentence(_ command: CTAPCommand) {
    for byte in (UInt8.min...UInt8.max).dropFirst() {
      let status = CTAPStatus(rawValue: byte)
      let about = Self.verification[byte]
      let error = about.map { CTAP2Error.verification($0.0) } ?? .status(status, command)
      let failure = CommandFailure(CTAP2Words(error).webAuthnError(on: Self.key))
      // Only a registration looks at an exclude list.
      let isExcluded = byte == 0x19 && command == .makeCredential
      let exit = isExcluded ? .excluded : about?.1 ?? Self.exits[byte] ?? .declined
      #expect(failure.status == exit, "\(status): \(failure.line)")
      if !isExcluded {
        let words = about?.2 ?? "it answered \(status.name): \(status.explanation)"
        #expect(failure.reason.hasPrefix("With the key \"Desk key\": \(words)"), "\(failure.line)")
      }
      #expect(failure.reason.hasSuffix(".") && !failure.reason.contains("\n"), "\(failure.line)")
    }
  }

  @Test("say for each change that it may have been made, where the byte has no meaning", arguments: KeyChange.allCases)
  func uncertain(_ change: KeyChange) {
    for byte: UInt8 in [0x20, 0x80, 0xdd] {
      let cause = CTAP2Error.status(CTAPStatus(rawValue: byte), .config)
      let failure = CommandFailure(
        CTAP2Words(.changeUncertain(change, cause: cause)).webAuthnError(on: Self.key))
      #expect(failure.status == .uncertain)
      #expect(failure.reason.hasSuffix(change.uncertainty))
    }
  }
}
