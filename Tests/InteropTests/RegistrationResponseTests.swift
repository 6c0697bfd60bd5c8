import Attestation
import BridgeTestSupport
import CBOR
import CTAP2
import CTAPMessages
import FIDOCrypto
import Foundation
import JSONText
import Octets
import Testing
import VirtualKey
import WebAuthnClient

/// The response as a relying party sees it.
struct RegistrationResponseTests {
  private func bytes(_ json: JSONValue, _ names: String...) throws -> [UInt8] {
    var value = json
    for name in names { value = try #require(value[name], "\(name)") }
    return try Base64URL.decode(try #require(value.stringValue))
  }

  @Test(
    "members, their order and their agreement with each other, for each algorithm and attestation",
    arguments: [-7, -8, -35, -36, -257], [AttestationPolicy.packed, .selfSigned, .none])
  func members(_ algorithm: Int, _ attestation: AttestationPolicy) async throws {
    for conveyance in ["none", "indirect", "direct", "enterprise"] {
      let desk = Desk()
      var configuration = VirtualKeyConfiguration()
      configuration.attestation = attestation
      let key = try desk.key("virtual", configuration)
      let response = try await desk.register(
        request(params: #"[{"type":"public-key","alg":\#(algorithm)}]"#, attestation: conveyance))
      let json = try response.parsed
      #expect(
        json.members?.map(\.name) == [
          "id", "rawId", "type", "authenticatorAttachment", "response", "clientExtensionResults",
        ])
      #expect(
        json["response"]?.members?.map(\.name) == [
          "clientDataJSON", "attestationObject", "authenticatorData", "transports", "publicKeyAlgorithm", "publicKey",
        ])
      #expect(try bytes(json, "id") == key.credentials.first)
      #expect(json["rawId"]?.stringValue == json["id"]?.stringValue)
      #expect(json["type"]?.stringValue == "public-key")
      #expect(json["authenticatorAttachment"]?.stringValue == "cross-platform")
      #expect(
        String(decoding: try bytes(json, "response", "clientDataJSON"), as: UTF8.self)
          == #"{"type":"webauthn.create","challenge":"AAECAwQFBgcICQoLDA0ODw","origin":"https://example.org","crossOrigin":false}"#
      )
      let object = try AttestationObject(
        cbor: CBORDecoder.decode(try bytes(json, "response", "attestationObject"), mode: .strict))
      #expect(object.fmt == (conveyance == "none" || attestation == .none ? "none" : "packed"))
      #expect(object.attStmt.isEmpty == (object.fmt == "none"))
      #expect(try bytes(json, "response", "authenticatorData") == object.authData.encoded())
      #expect(object.authData.rpIDHash == Digest.sha256(Array("example.org".utf8)))
      // L3 keeps the model's identifier, under attestation none too.
      #expect(object.authData.attestedCredential?.aaguid == VirtualKeyProfile.standardAAGUID)
      #expect(json["response"]?["publicKeyAlgorithm"]?.integerValue == algorithm)
      #expect(json["response"]?["transports"]?.elements?.map(\.stringValue) == ["usb"])
      let spki = try PublicKey(subjectPublicKeyInfo: try bytes(json, "response", "publicKey"))
      #expect(try spki == object.authData.attestedCredential?.publicKey.publicKey())
      #expect(try response.results == "{}")
    }
  }

  @Test("pretty JSON is the same JSON")
  func pretty() async throws {
    let desk = Desk()
    try desk.key()
    let response = try await desk.register(request(extensions: #"{"thalesgroup_chl_tkn_ext_v1":{"a": 1.0}}"#))
    let pretty = try JSONSerialization.jsonObject(with: Data(response.json(pretty: true))) as? NSDictionary
    let plain = try JSONSerialization.jsonObject(with: Data(response.json())) as? NSDictionary
    #expect(pretty == plain)
    #expect(pretty != nil)
  }

  @Test("the registrations of a browser and of this client have the same members, types and fixed values")
  func likeABrowser() async throws {
    let url = try #require(
      Bundle.module.url(
        forResource: "chromium-156-virtual-authenticator", withExtension: "json", subdirectory: "Vectors"))
    let file = try VectorFile.json(at: url.path)
    for (name, conveyance) in [("ctap2_uv_rk_none", "none"), ("ctap2_uv_rk_direct", "direct")] {
      let theirs = try #require(file["responses"]?[name]?["create"])
      let create = try #require(file["request"]?["create"])
      // The file's own request, with the conveyance of the case.
      let text = String(decoding: create.source, as: UTF8.self)
        .replacing("none or direct, by case", with: conveyance)
      var desk = Desk(Person(pins: ["1234"]))
      desk.extensions = StandardExtensions.all
      var configuration = VirtualKeyConfiguration.with(pin: "1234")
      configuration.minimumPINLengthRPIDs = ["localhost"]
      try desk.key("virtual", configuration)
      let ours = try await desk.register(text, origin: "http://localhost:8765").parsed
      try compare(theirs, ours, path: "")
      let ourObject = try AttestationObject(
        cbor: CBORDecoder.decode(try bytes(ours, "response", "attestationObject")))
      let theirObject = try AttestationObject(
        cbor: CBORDecoder.decode(try bytes(theirs, "response", "attestationObject")))
      #expect(ourObject.fmt == theirObject.fmt)
      #expect(ourObject.authData.flags == theirObject.authData.flags)
      #expect(ourObject.authData.rpIDHash == theirObject.authData.rpIDHash)
      #expect(ourObject.authData.extensions?["minPinLength"] == theirObject.authData.extensions?["minPinLength"])
      #expect(ourObject.authData.extensions?["credBlob"] == theirObject.authData.extensions?["credBlob"])
      #expect(try bytes(ours, "response", "clientDataJSON") == bytes(theirs, "response", "clientDataJSON"))
    }
  }

  /// What a credential's own randomness decides.
  private static let random: Set = [
    "id", "rawId", "response.attestationObject", "response.authenticatorData", "response.publicKey",
    "clientExtensionResults.prf.results.first", "clientExtensionResults.prf.results.second",
  ]

  private func compare(_ theirs: JSONValue, _ ours: JSONValue, path: String) throws {
    #expect(theirs.kind == ours.kind, "\(path)")
    if let elements = theirs.elements {
      #expect(elements.map(\.source) == ours.elements?.map(\.source), "\(path)")
      return
    }
    guard let members = theirs.members else {
      if !Self.random.contains(path) { #expect(theirs.source == ours.source, "\(path)") }
      return
    }
    let expected = members.map { path.isEmpty ? $0.name : "\(path).\($0.name)" }
    let found = try #require(ours.members).map { path.isEmpty ? $0.name : "\(path).\($0.name)" }
    #expect(Set(expected) == Set(found))
    for (name, value) in members {
      let place = path.isEmpty ? name : "\(path).\(name)"
      try compare(value, try #require(ours[name], "\(place)"), path: place)
    }
  }
}
