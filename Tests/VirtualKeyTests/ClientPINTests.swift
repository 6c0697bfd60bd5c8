import BridgeTestSupport
import CTAPMessages
import Octets
import Testing

@testable import VirtualKey

@Suite("clientPIN: setting and changing the PIN")
struct ClientPINTests {
  @Test("a PIN is set once, then changed with the old one", arguments: [1, 2])
  func setAndChange(_ version: Int) throws {
    let key = try TestKey()
    let host = try PINHost(key, version: version)
    #expect(try key.info().options?[.clientPin] == false)
    #expect(try host.status(host.pinToken("1234")) == .pinNotSet)
    #expect(try host.status(host.token("1234")) == .pinNotSet)
    #expect(try host.status(host.changePIN("1234", to: "5678")) == .pinNotSet)
    #expect(try host.status(host.setPIN("1234")) == .ok)
    #expect(try key.info().options?[.clientPin] == true)
    #expect(try host.status(host.setPIN("5678")) == .pinAuthInvalid)
    try host.obtain(host.token("1234"))
    let old: MakeCredentialRequest = host.signed(.sample())
    #expect(try host.status(host.changePIN("1234", to: "5678")) == .ok)
    // The change ends the tokens that are out.
    #expect(try key.makeStatus(old) == .pinAuthInvalid)
    #expect(try host.status(host.token("1234")) == .pinInvalid)
    try host.agree()
    #expect(try host.status(host.token("5678")) == .ok)
  }

  @Test(
    "a new PIN is held against the policy, in code points and bytes",
    arguments: [
      ("123", CTAPStatus.pinPolicyViolation), ("1234", .ok), ("äöü", .pinPolicyViolation), ("äöüß", .ok),
      ("👩‍👩‍👧", .ok), ("", .pinPolicyViolation), (String(repeating: "1", count: 63), .ok),
      (String(repeating: "1", count: 64), .pinPolicyViolation), ("12\u{0}4", .ok), ("1234\u{0}\u{0}", .ok),
    ], [1, 2])
  func policy(_ entry: (pin: String, status: CTAPStatus), _ version: Int) throws {
    let key = try TestKey()
    let host = try PINHost(key, version: version)
    #expect(try host.status(host.setPIN(entry.pin)) == entry.status)
    #expect(try key.info().options?[.clientPin] == (entry.status == .ok))
  }

  @Test("text that is not UTF-8 is no PIN")
  func notUTF8() throws {
    let key = try TestKey()
    let host = try PINHost(key)
    var request = try host.setPIN("1234")
    let newPIN = try host.encrypt([0xff, 0xfe, 0xfd, 0xfc] + [UInt8](repeating: 0, count: 60))
    (request.newPinEnc, request.pinUvAuthParam) = (newPIN, host.mac(newPIN))
    #expect(try host.status(request) == .pinPolicyViolation)
  }

  @Test("the profile's own lengths are the policy")
  func lengths() throws {
    let key = try TestKey(
      .with { info in
        info.minPINLength = 6
        info.maxPINLength = 8
      })
    let host = try PINHost(key)
    for pin in ["12345", "123456789"] { #expect(try host.status(host.setPIN(pin)) == .pinPolicyViolation) }
    #expect(try host.status(host.setPIN("123456")) == .ok)
  }

  @Test(
    "a request that breaks a rule gets the rule's status, and spends no try",
    arguments: [
      Spoiled("no protocol", .missingParameter) { $0.pinUvAuthProtocol = nil },
      Spoiled("protocol 3", .invalidParameter) { $0.pinUvAuthProtocol = 3 },
      Spoiled("no key agreement", .missingParameter) { $0.keyAgreement = nil },
      Spoiled("no new PIN", .missingParameter) { $0.newPinEnc = nil },
      Spoiled("no MAC", .missingParameter) { $0.pinUvAuthParam = nil },
      Spoiled("a wrong MAC", .pinAuthInvalid) { $0.pinUvAuthParam?[0] ^= 1 },
      Spoiled("a short MAC", .pinAuthInvalid) { $0.pinUvAuthParam?.removeLast() },
      Spoiled("a point off the curve", .invalidParameter) {
        $0.keyAgreement = .keyAgreement(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
      },
      Spoiled("a key of another kind", .invalidParameter) { $0.keyAgreement?.alg = -7 },
      Spoiled("an unknown subcommand", .invalidSubcommand) { $0.subCommand = ClientPINSubcommand(rawValue: 8) },
    ] as [Spoiled<ClientPINRequest>])
  func rules(_ spoiled: Spoiled<ClientPINRequest>) throws {
    let fresh = try TestKey()
    var request = try PINHost(fresh).setPIN("1234")
    spoiled.change(&request)
    #expect(try fresh.pinStatus(request) == spoiled.status)
    let used = try TestKey(.with(pin: "1234"))
    request = try PINHost(used).changePIN("1234", to: "5678")
    spoiled.change(&request)
    #expect(try used.pinStatus(request) == spoiled.status)
    #expect(used.pinTries == 0)
  }

  @Test("a new PIN of the wrong length in bytes is a wrong parameter", arguments: [0, 48, 80])
  func blocks(_ count: Int) throws {
    let key = try TestKey()
    let host = try PINHost(key)
    var request = try host.setPIN("1234")
    let newPIN = try host.encrypt([UInt8](repeating: 0x31, count: count))
    (request.newPinEnc, request.pinUvAuthParam) = (newPIN, host.mac(newPIN))
    #expect(try host.status(request) == .invalidParameter)
    (request.newPinEnc, request.pinUvAuthParam) = ([1, 2, 3], host.mac([1, 2, 3]))
    #expect(try host.status(request) == .invalidParameter)
  }

  @Test("what a profile does not have is no subcommand")
  func missing() throws {
    let request = { (number: Int) in ClientPINRequest(ClientPINSubcommand(rawValue: number), pinUvAuthProtocol: 1) }
    let noPIN = try TestKey(.with(options: ["clientPin": nil]))
    for number in [1, 3, 4, 5, 6, 7, 9] {
      #expect(try noPIN.pinStatus(request(number)) == .invalidSubcommand)
    }
    // Without a PIN the key agreement still serves hmac-secret.
    #expect(try noPIN.pinStatus(request(2)) == .ok)
    let older = try TestKey(.ctap20())
    for number in [6, 7, 8, 9] { #expect(try older.pinStatus(request(number)) == .invalidParameter) }
    let bare = try TestKey(
      .with(options: ["clientPin": nil]) { info in
        info.pinUvAuthProtocols = nil
        info.extensions = nil
      })
    #expect(try bare.pinStatus(request(2)) == .invalidCommand)
  }

  @Test("the configured PIN is set where the store has none, and not where it has one")
  func configured() throws {
    let key = try TestKey(.with(pin: "1234"))
    #expect(try key.info().options?[.clientPin] == true)
    let host = try PINHost(key)
    #expect(try host.status(host.changePIN("1234", to: "5678")) == .ok)
    let later = try PINHost(TestKey(.with(pin: "1234"), store: key.store))
    #expect(try later.status(later.token("1234")) == .pinInvalid)
    // A profile without a PIN has none whatever is configured.
    #expect(try TestKey(.with(options: ["clientPin": nil], pin: "1234")).info().options?[.clientPin] == nil)
  }

  @Test("a profile with a PIN and none configured has one that nobody knows")
  func unknownPIN() throws {
    let key = try TestKey(.with(options: ["clientPin": true]))
    #expect(try key.info().options?[.clientPin] == true)
    let host = try PINHost(key)
    #expect(try host.status(host.token("1234")) == .pinInvalid)
    #expect(try host.status(host.setPIN("1234")) == .pinAuthInvalid)
  }
}
