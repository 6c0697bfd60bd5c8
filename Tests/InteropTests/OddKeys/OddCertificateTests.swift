import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Testing
import VirtualKey
import WebAuthnClient

/// Attestation certificates as some keys ship them, which no authority would sign today.
struct OddCertificateTests {
  /// What is odd about a certificate.
  struct Oddness: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var serial: [UInt8] = [1]
    var version: [UInt8] = [0xa0, 3, 2, 1, 2]
    var extensions: [UInt8] = []
    var start = "20200101000000Z"
    var trailing: [UInt8] = []
    /// Whether OpenSSL reads it, so that the signature is verified.
    var isReadable = true
  }

  private static let oddnesses: [Oddness] = [
    Oddness(testDescription: "no extensions"),
    Oddness(testDescription: "serial number zero", serial: [0]),
    Oddness(testDescription: "negative serial number", serial: [0xff, 0x7f]),
    Oddness(testDescription: "serial number of 40 bytes", serial: [UInt8](repeating: 0x55, count: 40)),
    Oddness(testDescription: "version 1", version: []),
    Oddness(testDescription: "not valid yet", start: "20990101000000Z"),
    Oddness(testDescription: "a byte too many behind it", trailing: [0], isReadable: false),
  ]

  private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    return switch count {
    case ..<0x80: [tag, UInt8(count)] + content
    case ..<0x100: [tag, 0x81, UInt8(count)] + content
    default: [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xff)] + content
    }
  }

  /// A certificate over a key, signed by that key (RFC 5280 §4.1).
  private static func certificate(_ odd: Oddness, _ key: SigningKey) throws -> [UInt8] {
    let algorithm = der(0x30, [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2])
    let name = der(0x30, der(0x31, der(0x30, [6, 3, 0x55, 4, 3] + der(0x0c, Array("Odd key".utf8)))))
    let validity = der(
      0x30, der(0x18, Array(odd.start.utf8)) + der(0x18, Array("20991231235959Z".utf8)))
    let body = der(
      0x30,
      odd.version + der(2, odd.serial) + algorithm + name + validity + name
        + (try key.publicKey().subjectPublicKeyInfo()) + odd.extensions)
    return der(0x30, body + algorithm + der(3, [0] + (try key.sign(body)))) + odd.trailing
  }

  /// A key that attests with a certificate of its own making.
  private static func oddity(_ odd: Oddness, isRight: Bool = true) throws -> Oddity {
    let signer = try SigningKey.generate(.es256)
    let certificate = try certificate(odd, signer)
    return Oddity(onAnswer: { request, answer in
      guard request.ctap == .makeCredential, answer.first == 0,
        let asked = try? CBORDecoder.decode(Array(request.payload.dropFirst())).mapValue,
        var map = try? CBORDecoder.decode(Array(answer.dropFirst())).mapValue,
        let hash = asked[1]?.bytesValue, let data = map[2]?.bytesValue,
        let signature = try? signer.sign(data + (isRight ? hash : []))
      else { return answer }
      map[3] = ["alg": -7, "sig": .bytes(signature), "x5c": [.bytes(certificate)]]
      return [0] + CBORValue.map(map).encoded()
    })
  }

  @Test(
    "a certificate that breaks a rule for authorities is handed on, and its signature verified", arguments: oddnesses)
  func accepted(_ odd: Oddness) async throws {
    var desk = Desk()
    desk.oddity = try Self.oddity(odd)
    desk.options.waitsForKey = false
    try desk.key()
    let response = try await desk.register(request())
    #expect(response.attestation.fmt == "packed")
    #expect(desk.person.heard.contains { $0.hasPrefix("warning") } == !odd.isReadable)
  }

  @Test(
    "a signature that such a certificate does not verify is found, where the certificate is read",
    arguments: oddnesses)
  func refused(_ odd: Oddness) async throws {
    guard odd.isReadable else { return }
    var desk = Desk()
    desk.oddity = try Self.oddity(odd, isRight: false)
    desk.options.waitsForKey = false
    let key = try desk.key()
    let error = try await desk.failure()
    #expect(error.credentialID == key.credentials.first)
    #expect(key.credentials.count == 1)
  }
}
