import CBOR

@testable import CTAPMessages

/// A message with every member that it can have, for tests that do the same to all messages.
struct Sample: Sendable, CustomStringConvertible {
  let description: String
  let value: CBORValue
  let required: [CBORValue]
  /// Whether members that are not known are kept.
  let keepsUnknown: Bool
  /// Reads a value as this message and writes it again.
  let roundTrip: @Sendable (CBORValue) throws -> CBORValue

  init<Message: CTAPMessage>(
    _ type: Message.Type, _ value: CBORValue, required: [CBORValue] = [], keepsUnknown: Bool = true,
    suffix: String = ""
  ) {
    description = Message.messageName + suffix
    self.value = value
    self.required = required
    self.keepsUnknown = keepsUnknown
    roundTrip = { try Message(cbor: $0).cbor() }
  }

  var map: CBORMap { value.mapValue ?? [:] }
}

extension Sample {
  static let all: [Sample] = common + ceremonies + management

  private static let authData = Vectors.python("authDataOfMakeCredential")
  private static let ec2: CBORValue = [1: 2, 3: -25, -1: 1, -2: .bytes([1, 2]), -3: .bytes([3, 4])]
  private static let descriptor: CBORValue = [
    "id": .bytes([1, 2, 3]), "type": "public-key", "transports": ["usb", "x"],
  ]
  private static let user: CBORValue = ["id": .bytes([9]), "name": "a@example.org", "displayName": "Ä B"]

  private static let common: [Sample] = [
    Sample(CredentialDescriptor.self, descriptor, required: ["id", "type"]),
    Sample(CredentialParameters.self, ["alg": -257, "type": "public-key"], required: ["alg", "type"]),
    Sample(RelyingPartyEntity.self, ["id": "example.org", "name": "Example"], required: ["id"]),
    Sample(UserEntity.self, user, required: ["id"]),
    Sample(RequestOptions.self, ["rk": true, "up": false, "uv": true]),
    Sample(COSEKey.self, ec2, required: [1, -1, -2, -3], suffix: ", EC2"),
    Sample(COSEKey.self, [1: 1, 3: -8, -1: 6, -2: .bytes([7])], required: [1, -1, -2], suffix: ", OKP"),
    Sample(COSEKey.self, [1: 3, 3: -257, -1: .bytes([1]), -2: .bytes([2])], required: [1, -1, -2], suffix: ", RSA"),
    Sample(COSEKey.self, [1: 7, 3: -49], required: [1], suffix: ", unknown type"),
    Sample(
      AttestationObject.self,
      ["fmt": "packed", "attStmt": ["alg": -7, "sig": .bytes([1])], "authData": .bytes(authData)],
      required: ["fmt", "attStmt", "authData"], keepsUnknown: false),
    Sample(LargeBlobEntry.self, [1: .bytes([1]), 2: .bytes([2]), 3: 3], required: [1, 2, 3]),
    Sample(FingerprintTemplate.self, [1: .bytes([1]), 2: "thumb"], required: [1]),
  ]

  private static let ceremonies: [Sample] = [
    Sample(
      MakeCredentialRequest.self,
      [
        1: .bytes([UInt8](repeating: 5, count: 32)), 2: ["id": "example.org", "name": "Example"], 3: user,
        4: [["alg": -7, "type": "public-key"], ["alg": -8, "type": "public-key"]], 5: [descriptor, descriptor],
        6: ["credProtect": 2], 7: ["rk": true], 8: .bytes([8, 8]), 9: 2, 0x0a: 1, 0x0b: ["packed", "none"],
      ], required: [1, 2, 3, 4]),
    Sample(
      MakeCredentialResponse.self,
      [
        1: "packed", 2: .bytes(authData), 3: ["alg": -7, "sig": .bytes([1, 2])], 4: true, 5: .bytes([5]),
        6: ["prf": ["enabled": true]],
      ], required: [1, 2]),
    Sample(
      GetAssertionRequest.self,
      [
        1: "example.org", 2: .bytes([2]), 3: [descriptor], 4: ["credBlob": true], 5: ["up": false],
        6: .bytes([]), 7: 1,
      ], required: [1, 2]),
    Sample(
      GetAssertionResponse.self,
      [
        1: descriptor, 2: .bytes(Vectors.python("authDataOfGetAssertion")), 3: .bytes([3, 3]), 4: user, 5: 3, 6: true,
        7: .bytes([7]), 8: ["x": 1],
      ], required: [2, 3]),
    Sample(
      ClientPINRequest.self,
      [
        1: 2, 2: 9, 3: ec2, 4: .bytes([4]), 5: .bytes([5]), 6: .bytes([6]), 9: 0x03, 0x0a: "example.org",
      ], required: [2]),
    Sample(ClientPINResponse.self, [1: ec2, 2: .bytes([2]), 3: 8, 4: false, 5: 3]),
    Sample(
      GetInfoResponse.self,
      [
        1: ["FIDO_2_0", "FIDO_2_3"], 2: ["credProtect"], 3: .bytes([UInt8](repeating: 0xab, count: 16)),
        4: ["rk": true, "future": false], 5: 1200, 6: [2, 1], 7: 8, 8: 128, 9: ["usb"],
        0x0a: [["alg": -7, "type": "public-key"]], 0x0b: 4096, 0x0c: false, 0x0d: 6, 0x0e: .unsigned(.max), 0x0f: 32,
        0x10: 4, 0x11: 3, 0x12: 0x803, 0x13: ["FIDO": 1], 0x14: 25, 0x15: [.unsigned(.max), 1], 0x16: ["packed"],
        0x17: 0, 0x18: true, 0x19: .bytes([1]), 0x1a: ["usb"], 0x1b: true, 0x1c: .bytes([104]), 0x1d: 32,
        0x1e: .bytes([2]), 0x1f: [1, 2, 3, 4, 255],
      ], required: [1, 3]),
  ]

  private static let management: [Sample] = [
    Sample(
      CredentialManagementRequest.self,
      [1: 7, 2: [1: .bytes([1]), 2: descriptor, 3: user], 3: 2, 4: .bytes([4])], required: [1]),
    Sample(CredentialManagementParameters.self, [1: .bytes([1]), 2: descriptor, 3: user]),
    Sample(
      CredentialManagementResponse.self,
      [
        1: 3, 2: 22, 3: ["id": "example.org"], 4: .bytes([4]), 5: 2, 6: user, 7: descriptor, 8: ec2, 9: 2, 0x0a: 3,
        0x0b: .bytes([11]), 0x0c: true,
      ]),
    Sample(
      BioEnrollmentRequest.self,
      [1: 1, 2: 5, 3: [1: .bytes([1]), 2: "thumb", 3: 10000], 4: 2, 5: .bytes([5]), 6: true]),
    Sample(BioEnrollmentParameters.self, [1: .bytes([1]), 2: "thumb", 3: 10000]),
    Sample(
      BioEnrollmentResponse.self,
      [1: 1, 2: 2, 3: 4, 4: .bytes([4]), 5: 0x0a, 6: 2, 7: [[1: .bytes([1]), 2: "a"], [1: .bytes([2])]], 8: 64]),
    Sample(
      LargeBlobsRequest.self, [1: 960, 2: .bytes([2]), 3: 0, 4: 17, 5: .bytes([5]), 6: 2], required: [3]),
    Sample(LargeBlobsResponse.self, [1: .bytes([0x80])]),
    Sample(
      AuthenticatorConfigRequest.self,
      [1: 3, 2: [1: 6, 2: ["example.org"], 3: true, 4: false], 3: 2, 4: .bytes([4])], required: [1],
      suffix: ", setMinPINLength"),
    Sample(
      AuthenticatorConfigRequest.self, [1: 0xff, 2: [1: .unsigned(.max), 2: "x"], 3: 1, 4: .bytes([4])],
      required: [1], suffix: ", vendorPrototype"),
    Sample(
      AuthenticatorConfigRequest.self, [1: 2, 2: ["future": 1], 3: 1, 4: .bytes([4])], required: [1],
      suffix: ", toggleAlwaysUv"),
    Sample(SetMinPINLengthParameters.self, [1: 6, 2: ["example.org"], 3: true, 4: false]),
    Sample(VendorPrototypeParameters.self, [1: .unsigned(.max)], required: [1]),
  ]
}
