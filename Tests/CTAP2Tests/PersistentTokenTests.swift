import CTAPMessages
import Octets
import Testing

@testable import CTAP2

/// The values are made with python's cryptography package and read by python-fido2 2.x as the text below.
@Suite("A persistent token")
struct PersistentTokenTests {
  private static let secret = SecretBytes([UInt8](repeating: UInt8(ascii: "P"), count: 32))
  private static let identifier = bytes("4949494949494949494949494949494955088b2e1867da7281e15f4367dcd683")
  private static let state = bytes("49494949494949494949494949494949ced5f84cf80ccec932bf503a59fa50e5")
  private static let text = Array("0123456789abcdef".utf8)

  private static func info(_ change: (inout GetInfoResponse) -> Void) -> GetInfoResponse {
    var info = GetInfoResponse(versions: ["FIDO_2_2"], aaguid: .zero)
    change(&info)
    return info
  }

  @Test("reveals the key's identifier and the state of its store")
  func reveals() throws {
    let token = PINUVAuthToken(persistent: Self.secret, version: .two)
    let info = Self.info {
      $0.encIdentifier = Self.identifier
      $0.encCredStoreState = Self.state
    }
    #expect(try token.identifier(in: info) == Self.text)
    #expect(try token.credentialStoreState(in: info) == Self.text)
    let other = PINUVAuthToken(persistent: SecretBytes([UInt8](repeating: 1, count: 32)), version: .two)
    #expect(try other.identifier(in: info) != Self.text)
  }

  @Test("reveals nothing where the key hides nothing")
  func absent() throws {
    let token = PINUVAuthToken(persistent: Self.secret, version: .two)
    #expect(try token.identifier(in: Self.info { _ in }) == nil)
    #expect(try token.credentialStoreState(in: Self.info { _ in }) == nil)
  }

  @Test("takes no member of another length", arguments: [0, 15, 16, 31, 33, 48])
  func lengths(count: Int) {
    let token = PINUVAuthToken(persistent: Self.secret, version: .two)
    let info = Self.info { $0.encIdentifier = [UInt8](repeating: 0, count: count) }
    #expect(throws: CTAP2Error.misfit("encIdentifier has \(count) bytes in place of 32", .getInfo)) {
      try token.identifier(in: info)
    }
  }

  @Test("can be kept and taken up again, which no other token can")
  func kept() throws {
    let fake = try PINKey()
    let session = try fake.key.session()
    let pin = PINChangeTests.secret("1234")
    let token = try session.token(
      pin: pin, permissions: .persistentCredentialManagementReadOnly, rpID: nil, fake.key.wait())
    #expect(fake.last?.permissions == .persistentCredentialManagementReadOnly)
    let kept = try #require(token.persistentSecret)
    let again = PINUVAuthToken(persistent: kept, version: token.version)
    #expect(again.authenticate([1, 2, 3]) == token.authenticate([1, 2, 3]))
    let other = try session.token(pin: pin, permissions: .credentialManagement, rpID: nil, fake.key.wait())
    #expect(other.persistentSecret == nil)
  }
}
