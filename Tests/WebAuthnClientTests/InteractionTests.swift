import CTAPHID
import CTAPMessages
import Testing

@testable import WebAuthnClient

struct InteractionTests {
  @Test(
    "a key has a name to offer",
    arguments: [
      ("Desk Key", "Model", "Acme", "Desk Key"), (nil, "Model", "Acme", "Model"), ("  ", nil, "Acme", "Acme"),
      (nil, nil, nil, "Security key"), ("\u{202e}\u{7}Desk\n", nil, nil, "Desk"),
    ] as [(String?, String?, String?, String)])
  func suggestedName(_ product: String?, _ model: String?, _ vendor: String?, _ expected: String) {
    let info = AuthenticatorInfo(
      key: KeyDescription(id: "a", vendorID: 0, productID: 0, vendor: vendor, product: product),
      abilities: GetInfoResponse(versions: [], aaguid: .zero), modelName: model)
    #expect(info.suggestedName == expected)
  }

  @Test("a key's transports are what it says, unique and sorted, or usb")
  func transports() {
    #expect(authenticator { $0.transports = ["usb", "nfc", "usb"] }.transports == ["nfc", "usb"])
    #expect(authenticator { $0.transports = [] }.transports == ["usb"])
    #expect(authenticator().transports == ["usb"])
  }

  @Test("a key tells what it is")
  func facts() {
    let info = authenticator { $0.aaguid = AAGUID([UInt8](repeating: 7, count: 16)) ?? .zero }
    #expect(info.aaguid == AAGUID([UInt8](repeating: 7, count: 16)))
    #expect(info.vendorName == "Acme")
    #expect(info.versions == ["FIDO_2_1"])
    #expect(info.expectedClientType == .deviceBound)
    var syncable = info
    syncable.backupSupport = .explicit
    #expect(syncable.expectedClientType == .syncable)
  }

  @Test(
    "control characters and bidirectional overrides are no part of a name",
    arguments: ["a\u{0}", "a\nb", "a\u{7f}", "a\u{85}b", "\u{202e}abc", "a\u{2066}b", "a\u{2028}b"])
  func unfitNames(_ name: String) {
    #expect(AuthenticatorDescriptor.objection(to: name)?.contains("U+") == true)
  }

  @Test(
    "ordinary names, white space around them too, are no trouble", arguments: ["", "  Desk\n", "Schlüssel 🔑", "مفتاح"])
  func fitNames(_ name: String) {
    #expect(AuthenticatorDescriptor.objection(to: name) == nil)
  }

  @Test("with nobody there no PIN is to be had and the suggested name is taken")
  func nobody() async throws {
    let nobody = NoInteraction()
    #expect(!nobody.isAttended)
    nobody.notify(.warning("nobody hears this"))
    let request = PINRequest(
      authenticator: authenticator(), retriesLeft: 8, occasion: .needed, attempt: 1, minimumLength: 4)
    let pin = try await nobody.requestPIN(request)
    #expect(pin == nil)
    let descriptor = try await nobody.retrieveAuthenticatorDescription(authenticator())
    #expect(descriptor == AuthenticatorDescriptor(friendlyName: "Desk Key"))
  }

  @Test("somebody is there unless it is said otherwise")
  func attended() {
    struct Somebody: UserInteraction {}
    #expect(Somebody().isAttended)
  }
}
