import BridgeTestSupport
import CTAP2
import CTAPHID
import CTAPMessages
import Octets
import Testing
import Timing
import VirtualKey

@Suite("The host session and the virtual key: PIN, touch and lost answers")
struct HostKeyPINTests {
  static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  /// What a try with a PIN comes to.
  private func failure(_ desk: HostAndKey, _ pin: String) -> CTAP2Error? {
    do {
      _ = try desk.token(pin)
      return nil
    } catch {
      return error as? CTAP2Error
    }
  }

  @Test("wrong PINs count down, block until the key is plugged in again, and then for good", arguments: [[1], [2, 1]])
  func wrongPINs(_ protocols: [Int]) throws {
    let desk = try HostAndKey(pin: "1234") { $0.pinUvAuthProtocols = protocols }.opened()
    var left = 8
    for round in 0..<3 {
      for _ in 0..<(round == 2 ? 1 : 2) {
        left -= 1
        guard case .verification(.pinInvalid(let retries?))? = failure(desk, "9999") else {
          Issue.record("a wrong PIN with \(left) tries left is called something else")
          return
        }
        #expect(retries.count == left)
      }
      left -= 1
      let last = failure(desk, "9999")
      if round < 2 {
        #expect(last == .verification(.pinAuthBlocked))
        // Even the right one is not looked at now.
        #expect(failure(desk, "1234") == .verification(.pinAuthBlocked))
        #expect(try desk.session.pinRetries(desk.wait()).count == left)
        desk.port.powerCycle()
        desk.session.close()
        try desk.session.open(desk.wait())
      } else {
        #expect(last == .verification(.pinBlocked))
      }
    }
    #expect(left == 0)
    #expect(failure(desk, "1234") == .verification(.pinBlocked))
    #expect(desk.pinTries == 8)
  }

  @Test("a PIN that is right in the end brings all tries back")
  func rightInTheEnd() throws {
    let desk = try HostAndKey(pin: "pässwört 🔑").opened()
    #expect(failure(desk, "passwort") == .verification(.pinInvalid(PINRetries(count: 7, needsPowerCycle: false))))
    #expect(failure(desk, "pa\u{308}sswo\u{308}rt 🔑") == nil)
    #expect(try desk.session.pinRetries(desk.wait()).count == 8)
  }

  @Test("PINs that no key takes cost no try, and no transaction")
  func impossible() throws {
    let desk = try HostAndKey(pin: "1234").opened()
    _ = try desk.session.getInfo(desk.wait())
    let before = desk.transactions
    for pin in ["", "123", "日本語", "12\034", String(repeating: "a", count: 64)] {
      guard case .pin? = failure(desk, pin) else {
        Issue.record("\(pin.count) characters are taken for a PIN")
        return
      }
    }
    #expect(desk.transactions == before)
    #expect(desk.pinTries == 0)
  }

  @Test("a PIN is set, used and changed", arguments: [[1], [2]])
  func change(_ protocols: [Int]) throws {
    let desk = try HostAndKey { $0.pinUvAuthProtocols = protocols }.opened()
    #expect(failure(desk, "1234") == .verification(.pinNotSet))
    try desk.session.setPIN(Self.secret("1234"), desk.wait())
    _ = try desk.create(token: try desk.token("1234"))
    try desk.session.changePIN(from: Self.secret("1234"), to: Self.secret("éàü字"), desk.wait())
    _ = try desk.create(token: try desk.token("e\u{301}a\u{300}u\u{308}字"))
    #expect(throws: CTAP2Error.verification(.pinInvalid(PINRetries(count: 7, needsPowerCycle: false)))) {
      try desk.session.changePIN(from: Self.secret("1234"), to: Self.secret("5678"), desk.wait())
    }
  }

  @Test("a PIN under the key's minimum is refused before the key is asked")
  func minimum() throws {
    let desk = try HostAndKey { $0.minPINLength = 6 }.opened()
    #expect(throws: CTAP2Error.pin(.tooShort(5, minimum: 6))) {
      try desk.session.setPIN(Self.secret("12345"), desk.wait())
    }
    try desk.session.setPIN(Self.secret("123456"), desk.wait())
    #expect(try desk.session.getInfo(desk.wait()).options?["clientPin"] == true)
  }

  @Test("a reset takes the PIN away")
  func reset() throws {
    let desk = try HostAndKey(pin: "1234").opened()
    try desk.session.reset(desk.wait())
    #expect(failure(desk, "1234") == .verification(.pinNotSet))
  }

  @Test(
    "a touch chooses the key, with the command and without", arguments: [["FIDO_2_0", "FIDO_2_1"], ["FIDO_2_0"]],
    [nil, "1234"])
  func select(_ versions: [String], _ pin: String?) throws {
    let desk = try HostAndKey(presence: .after(.seconds(5)), pin: pin) { $0.versions = versions }.opened()
    let start = desk.clock.now
    try desk.session.select(desk.wait())
    #expect(desk.clock.now.since(start) >= .seconds(5))
    #expect(desk.made.isEmpty)
    #expect(desk.pinTries == 0)
  }

  @Test(
    "a key that stops waiting is asked again until the deadline",
    arguments: [CTAPStatus.userActionTimeout, .operationDenied, .actionTimeout], [["FIDO_2_1"], ["FIDO_2_0"]])
  func selectAgain(_ status: CTAPStatus, _ versions: [String]) throws {
    let desk = try HostAndKey(presence: .never, timeout: TouchTimeout(after: .seconds(29), status: status)) {
      $0.versions = versions
    }.opened()
    let error = #expect(throws: CTAP2Error.self) { try desk.session.select(desk.wait(.seconds(100))) }
    #expect(error?.isTimeout == true)
    #expect(desk.commands.filter { $0 != 0x04 }.count == 4)
    #expect(!desk.port.isWaitingForTouch)
  }

  @Test("a makeCredential that times out on the key ends with that")
  func keyTimeout() throws {
    let desk = try HostAndKey(presence: .never).opened()
    #expect(throws: CTAP2Error.status(.userActionTimeout, .makeCredential)) { try desk.create() }
    #expect(desk.made.isEmpty)
  }

  @Test("a deadline ends the key's wait for a touch, and nothing is made")
  func deadline() throws {
    let desk = try HostAndKey(presence: .never).opened()
    let error = #expect(throws: CTAP2Error.self) {
      try desk.session.makeCredential(HostAndKey.request(), token: nil, desk.wait(.seconds(4)))
    }
    #expect(error?.isTimeout == true)
    #expect(error?.mayHaveCreated == false)
    #expect(!desk.port.isWaitingForTouch)
    desk.port.touch()
    #expect(desk.made.isEmpty)
  }

  @Test("what the key made without its answer arriving is told as what may exist", arguments: [true, nil])
  func lost(_ rk: Bool?) throws {
    let desk = try HostAndKey(faults: [.answer(0x01, .lost)]).opened()
    let error = #expect(throws: CTAP2Error.self) { try desk.create(HostAndKey.request(rk: rk)) }
    guard case .credentialMayExist(let creation, .hid(.silent))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(creation.rpID == HostAndKey.rpID)
    #expect(creation.isDiscoverable == (rk == true))
    #expect(desk.made.count == 1)
  }

  @Test("what the key made after the deadline is told with its id")
  func late() throws {
    let desk = try HostAndKey(faults: [.answer(0x01, .late(.milliseconds(4500))), .ignoresCancel]).opened()
    _ = try desk.session.getInfo(desk.wait())
    let error = #expect(throws: CTAP2Error.self) {
      try desk.session.makeCredential(HostAndKey.request(), token: nil, desk.wait(.seconds(4)))
    }
    guard case .createdLate(let response, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(desk.made == [response.authData.attestedCredential?.credentialID])
  }

  @Test("a PIN is not tried twice where the token does not arrive", arguments: [Fault.Answer.lost, .silence])
  func tokenLost(_ fault: Fault.Answer) throws {
    // The key agreement is answered, what follows it is not.
    let desk = try HostAndKey(
      pin: "1234", faults: [.answer(0x06, .late(.zero), times: 1), .answer(0x06, fault)]
    ).opened()
    guard case .hid(.silent)? = failure(desk, "1234") else {
      Issue.record("the lost token is called something else")
      return
    }
    #expect(desk.commands == [0x04, 0x06, 0x06])
    #expect(desk.pinTries == (fault == .lost ? 1 : 0))
  }

  @Test("an unplugged key is told as such at every report, and no credential goes unmentioned")
  func unplugged() throws {
    for report in 1...30 {
      let desk = try HostAndKey(faults: [.unplugAfterSending(report)])
      do {
        try desk.session.open(desk.wait())
        _ = try desk.create()
      } catch let error as CTAP2Error {
        #expect(error.isUnplugged, "after \(report) reports: \(error)")
        #expect(error.mayHaveCreated || desk.made.isEmpty, "after \(report) reports")
      }
      #expect(desk.made.count <= 1)
    }
  }

  @Test("a report that is dropped, doubled or damaged never makes a second credential nor hides one")
  func damagedReports() throws {
    // The header, the status and some of the content of each report.
    let places = Array(0..<9) + [21, 42, 63]
    let damages: [Fault.Damage] = [.dropped, .duplicated] + places.map { .flipped(bit: $0 * 8 + $0 % 8) }
    for report in 0..<12 {
      for damage in damages {
        let desk = try HostAndKey(attestation: .selfSigned, faults: [.report(report, damage)])
        do {
          try desk.session.open(desk.wait())
          let created = try desk.create(HostAndKey.request(rk: true))
          #expect(desk.made == [created.id], "report \(report), \(damage)")
        } catch let error as CTAP2Error {
          #expect(damage != .duplicated, "report \(report): \(error)")
          #expect(error.mayHaveCreated || desk.made.isEmpty, "report \(report), \(damage): \(error)")
          #expect(desk.made.count <= 1)
        }
      }
    }
  }
}
