import CBOR
import CTAPMessages
import Testing

@Suite("What getInfo means")
struct GetInfoTests {
  let bare = GetInfoResponse(versions: ["FIDO_2_0"], aaguid: .zero)

  @Test("absent members are nil, and mean the specification's defaults")
  func defaults() {
    #expect(bare.maxMsgSize == nil)
    #expect(bare.effectiveMaxMsgSize == 1024)
    #expect(bare.effectiveMaxCredentialCountInList == 1)
    #expect(bare.effectiveMinPINLength == 4)
    #expect(bare.effectiveMaxPINLength == 63)
    #expect(bare.effectiveAttestationFormats == ["packed"])
    #expect(!bare.mustChangePIN)
    #expect(bare.options == nil)
    #expect(bare.isOn(.up))
    #expect(AuthenticatorOption.allCases.filter { bare.isOn($0) } == [.up])
  }

  @Test("members that are there are what they say, within what the specification allows")
  func present() {
    var info = bare
    info.maxMsgSize = 2048
    info.maxCredentialCountInList = 0
    info.minPINLength = 3
    info.maxPINLength = 200
    info.attestationFormats = ["none"]
    info.forcePINChange = true
    info.extensions = ["credProtect"]
    #expect(info.effectiveMaxMsgSize == 2048)
    #expect(info.effectiveMaxCredentialCountInList == 1)
    #expect(info.effectiveMinPINLength == 4)
    #expect(info.effectiveMaxPINLength == 63)
    #expect(info.effectiveAttestationFormats == ["none"])
    #expect(info.mustChangePIN)
    #expect(info.supports(extension: "credProtect"))
    #expect(!info.supports(extension: "credBlob"))
    #expect(!bare.supports(extension: "credProtect"))
    #expect(info.supports(version: "FIDO_2_0"))
    #expect(!info.supports(version: "FIDO_2_1"))
    info.maxCredentialCountInList = 20
    info.minPINLength = 6
    info.maxPINLength = 32
    #expect(info.effectiveMaxCredentialCountInList == 20)
    #expect(info.effectiveMinPINLength == 6)
    #expect(info.effectiveMaxPINLength == 32)
  }

  @Test("an option tells absent from off, and only options with two states have a default")
  func options() {
    var info = bare
    info.options = ["clientPin": false, "rk": true, "up": false]
    #expect(info.options?[.clientPin] == false)
    #expect(info.options?["clientPin"] == false)
    #expect(info.options?[.uv] == nil)
    #expect(info.isOn(.rk))
    #expect(!info.isOn(.up))
    #expect(!info.isOn(.clientPin))
    info.options?[.uv] = true
    info.options?["rk"] = nil
    #expect(info.isOn(.uv))
    #expect(!info.isOn(.rk))
    #expect(
      AuthenticatorOption.allCases.filter { $0.defaultValue == nil } == [
        .clientPin, .uv, .ep, .bioEnroll, .userVerificationMgmtPreview, .alwaysUv,
      ])
    #expect(AuthenticatorOptions() == AuthenticatorOptions([:]))
  }

  @Test("an unknown option of any type is kept, a known one must be a boolean")
  func oddOptions() throws {
    let value: CBORValue = ["rk": true, "future": "x", "maybe": false, 5: 6]
    let options = try AuthenticatorOptions(cbor: value)
    #expect(options.values == ["rk": true, "maybe": false])
    #expect(options.additional == ["future": "x", 5: 6])
    #expect(options.cbor() == value)
    let error = try #require(throws: MessageError.self) {
      try GetInfoResponse(cbor: [1: [], 3: .bytes(AAGUID.zero.bytes), 4: ["rk": 1]])
    }
    #expect(error.member == "options.rk")
    #expect(error.number == 4)
  }

  @Test("numbers that a count cannot be are errors with the number in them")
  func impossibleNumbers() throws {
    let required: [(CBORValue, CBORValue)] = [(1, []), (3, .bytes(AAGUID.zero.bytes))]
    let tooLarge = try #require(throws: MessageError.self) {
      try GetInfoResponse(cbor: .map(CBORMap(required + [(5, .unsigned(.max))])))
    }
    #expect(
      tooLarge.problem
        == .wrongValue(expected: "at most 9223372036854775807", found: "18446744073709551615"))
    #expect(tooLarge.status == .invalidParameter)
    let negative = try #require(throws: MessageError.self) {
      try GetInfoResponse(cbor: .map(CBORMap(required + [(5, -1)])))
    }
    #expect(negative.problem == .wrongType(expected: "unsigned integer", found: "negative integer"))
    let algorithm = try #require(throws: MessageError.self) {
      try CredentialParameters(cbor: ["alg": .negative(.max), "type": "public-key"])
    }
    #expect(algorithm.member == "alg")
    #expect(algorithm.status == .invalidParameter)
  }

  @Test("an AAGUID of another length is an error that says how long it is")
  func aaguidLength() throws {
    let error = try #require(throws: MessageError.self) { try GetInfoResponse(cbor: [1: [], 3: .bytes([1, 2])]) }
    #expect(error.description == "getInfo response, aaguid (0x03): expected 16 bytes, found 2 bytes")
  }

  @Test("certifications are names and levels")
  func certifications() throws {
    for wrong in [[1: 1], ["FIDO": "x"]] as [CBORValue] {
      let error = try #require(throws: MessageError.self) {
        try GetInfoResponse(cbor: [1: [], 3: .bytes(AAGUID.zero.bytes), 0x13: wrong])
      }
      #expect(error.number == 0x13)
      #expect(error.member.hasPrefix("certifications"))
    }
  }

  @Test("verification methods have the registry's names")
  func methods() {
    #expect(UserVerificationMethods(rawValue: 2).names == ["fingerprint_internal"])
    #expect(UserVerificationMethods(rawValue: 0x803).names.last == "passcode_external")
    #expect(UserVerificationMethods(rawValue: 0x1_0000_0001).names == ["presence_internal", "0x100000000"])
    #expect(UserVerificationMethods([]).names == [])
    let all: UserVerificationMethods = [
      .presenceInternal, .fingerprintInternal, .passcodeInternal, .voiceprintInternal, .faceprintInternal,
      .locationInternal, .eyeprintInternal, .patternInternal, .handprintInternal, .none, .all, .passcodeExternal,
      .patternExternal,
    ]
    #expect(all.rawValue == 0x1fff)
    #expect(all.names.count == 13)
  }
}
