import Attestation
import BridgeTestSupport
import CTAP2
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing
import VirtualKey
import WebAuthnClient

extension Desk {
  func authenticate(_ request: String, origin: String = "https://example.org") async throws -> AuthenticationResponse {
    let client = SecurityKeyClient(
      keySource: keys, interaction: person, extensions: extensions, policy: policy, clock: clock,
      random: SeededRandom(seed: 13))
    return try await client.authenticate(
      optionsJSON: Array(request.utf8), origin: try Origin(origin), options: options)
  }

  /// The error that an authentication ends with.
  func signInFailure(_ request: String, origin: String = "https://example.org") async throws -> WebAuthnError {
    do {
      _ = try await authenticate(request, origin: origin)
    } catch let error as WebAuthnError {
      return error
    }
    Issue.record("the authentication succeeded")
    throw WebAuthnError(.unknownError, .internalFault, "")
  }
}

/// A request to sign in; `allow` are the credentials it allows, nil for any discoverable one.
func signIn(
  _ allow: [[UInt8]]? = nil, verification: String = "discouraged", extensions: String = "{}", more: String = ""
) -> String {
  let list = allow.map { ids in
    ids.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))","transports":["usb"]}"# }.joined(separator: ",")
  }
  return #"""
    {"challenge":"DwAOAQ0CDAMLBAoFCQYIBw","rpId":"example.org","userVerification":"\#(verification)",
    "extensions":\#(extensions)\#(list.map { ",\"allowCredentials\":[\($0)]" } ?? "")\#(more.isEmpty ? "" : ",")\#(more)}
    """#
}

/// A registration of another account than the usual one.
func request(account: String, id: [UInt8], extensions: String = "{}") -> String {
  #"""
  {"rp":{"id":"example.org","name":"Example"},"user":{"id":"\#(Base64URL.encode(id))","name":"\#(account)",
  "displayName":"Display \#(account)"},"challenge":"AAECAwQFBgcICQoLDA0ODw",
  "pubKeyCredParams":[{"type":"public-key","alg":-7}],"extensions":\#(extensions),
  "authenticatorSelection":{"residentKey":"required","userVerification":"discouraged"}}
  """#
}

extension AuthenticationResponse {
  /// The response as a relying party reads it.
  var parsed: JSONValue {
    get throws { try JSONDocument(parsing: json()).root }
  }

  /// `clientExtensionResults` as text.
  var results: String {
    get throws { String(decoding: try #require(try parsed["clientExtensionResults"]).source, as: UTF8.self) }
  }

  /// A member of `response`, decoded.
  func member(_ name: String) throws -> [UInt8] {
    try Base64URL.decode(try #require(try parsed["response"]?[name]?.stringValue))
  }

  /// Whether what is in the JSON was signed by the credential of a registration.
  func verifies(with registration: RegistrationResponse) throws -> Bool {
    let key = try #require(registration.attestation.authData.attestedCredential?.publicKey)
    let algorithm = try #require(SignatureAlgorithm(rawValue: registration.publicKeyAlgorithm))
    let signed = try member("authenticatorData") + Digest.sha256(try member("clientDataJSON"))
    return try key.publicKey().verifies(try member("signature"), of: signed, algorithm: algorithm)
  }
}
