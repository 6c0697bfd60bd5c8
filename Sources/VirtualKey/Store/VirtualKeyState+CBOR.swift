import CBOR
import Octets

// Member numbers are part of the file's form: never reuse one, and raise `version` when an old reader would go wrong.
extension VirtualKeyState {
  static let version = 1

  func cbor() -> CBORValue {
    var map = CBORMap()
    map[1] = .bytes(masterSecret)
    map[2] = .unsigned(UInt64(signatureCounter))
    map[3] = pin.map { .map([1: .bytes($0.hash), 2: .int($0.length)]) }
    map[4] = .int(pinRetries)
    map[5] = .int(uvRetries)
    map[6] = minimumPINLength.map(CBORValue.int)
    map[7] = .array(minimumPINLengthRPIDs.map(CBORValue.text))
    map[8] = .bool(mustChangePIN)
    map[9] = alwaysUV.map(CBORValue.bool)
    map[10] = enterpriseAttestation.map(CBORValue.bool)
    map[11] = .array(credentials.map { $0.cbor() })
    map[12] = attestation.map {
      .map([1: .bytes($0.aaguid), 2: $0.key.cbor(), 3: .bytes($0.certificate), 4: .bytes($0.authority)])
    }
    map[14] = .array(fingerprints.map { $0.cbor() })
    map[15] = pinComplexityPolicy.map(CBORValue.bool)
    map[16] = longTouchForReset.map(CBORValue.bool)
    map[13] = persistent.map {
      .map([1: .bytes($0.token), 2: .bytes($0.identifier), 3: .bytes($0.credentialStore)])
    }
    map[20] = largeBlobArray.map(CBORValue.bytes)
    return .map(map)
  }

  init(cbor: CBORValue) throws(StateFormatError) {
    let reader = try StateReader(cbor, "state")
    largeBlobArray = try reader.optionalBytes(20)
    masterSecret = try reader.bytes(1, count: 32)
    fingerprints =
      try reader.optionalArray(14)?.map { (value) throws(StateFormatError) in try StoredFingerprint(cbor: value) } ?? []
    pinComplexityPolicy = try reader.optionalBool(15)
    longTouchForReset = try reader.optionalBool(16)
    persistent = try reader.optionalMap(13, "persistent").map { (kept) throws(StateFormatError) in
      PersistentState(
        token: try kept.bytes(1, count: 32), identifier: try kept.bytes(2, count: 16),
        credentialStore: try kept.bytes(3, count: 16))
    }
    signatureCounter = try reader.integer(2)
    pin = try reader.optionalMap(3, "pin").map { (pin) throws(StateFormatError) in
      StoredPIN(hash: try pin.bytes(1, count: 16), length: try pin.integer(2))
    }
    pinRetries = try reader.integer(4, in: 0...Self.fullPINRetries)
    uvRetries = try reader.integer(5, in: 0...Self.fullUVRetries)
    minimumPINLength = try reader.optionalInteger(6)
    minimumPINLengthRPIDs = try reader.array(7).map { (value) throws(StateFormatError) in
      guard let text = value.textValue else { throw StateFormatError(member: "state.7") }
      return text
    }
    mustChangePIN = try reader.bool(8)
    alwaysUV = try reader.optionalBool(9)
    enterpriseAttestation = try reader.optionalBool(10)
    credentials = try reader.array(11).map { (value) throws(StateFormatError) in try StoredCredential(cbor: value) }
    attestation = try reader.optionalMap(12, "attestation").map { (identity) throws(StateFormatError) in
      AttestationIdentity(
        aaguid: try identity.bytes(1, count: 16), key: try CredentialKey(reader: identity.map(2, "key")),
        certificate: try identity.bytes(3), authority: try identity.bytes(4))
    }
  }
}

extension StoredCredential {
  fileprivate func cbor() -> CBORValue {
    var map = CBORMap()
    map[1] = .bytes(id)
    map[2] = .text(rpID)
    map[3] = rpName.map(CBORValue.text)
    map[4] = .bytes(userID)
    map[5] = userName.map(CBORValue.text)
    map[6] = userDisplayName.map(CBORValue.text)
    map[7] = key.cbor()
    map[8] = .int(protection)
    map[9] = .bytes(secret)
    map[10] = blob.map(CBORValue.bytes)
    map[11] = largeBlobKey.map(CBORValue.bytes)
    map[12] = .bool(isResident)
    map[13] = application.map(CBORValue.bytes)
    map[14] = largeBlob.map { [1: .bytes($0.bytes), 2: .unsigned($0.originalSize)] }
    map[15] = isForPayment ? true : nil
    return .map(map)
  }

  fileprivate init(cbor: CBORValue) throws(StateFormatError) {
    let reader = try StateReader(cbor, "credential")
    id = try reader.bytes(1)
    rpID = try reader.text(2)
    rpName = try reader.optionalText(3)
    userID = try reader.bytes(4)
    userName = try reader.optionalText(5)
    userDisplayName = try reader.optionalText(6)
    key = try CredentialKey(reader: reader.map(7, "key"))
    protection = try reader.integer(8, in: 1...3)
    secret = try reader.bytes(9, count: 32)
    blob = try reader.optionalBytes(10)
    largeBlobKey = try reader.optionalBytes(11)
    isResident = try reader.bool(12)
    application = try reader.optionalBytes(13, count: 32)
    largeBlob = try reader.optionalMap(14, "largeBlob").map { (blob) throws(StateFormatError) in
      StoredLargeBlob(bytes: try blob.bytes(1), originalSize: try blob.integer(2, in: 0...UInt64(Int64.max)))
    }
    isForPayment = try reader.optionalBool(15) ?? false
  }
}

extension StoredFingerprint {
  fileprivate func cbor() -> CBORValue {
    var map: CBORMap = [1: .bytes(id)]
    map[2] = name.map(CBORValue.text)
    return .map(map)
  }

  fileprivate init(cbor: CBORValue) throws(StateFormatError) {
    let reader = try StateReader(cbor, "fingerprint")
    id = try reader.bytes(1)
    name = try reader.optionalText(2)
  }
}

extension CredentialKey {
  fileprivate func cbor() -> CBORValue { .map([1: .int(algorithm), 2: .bytes(bytes)]) }

  fileprivate init(reader: StateReader) throws(StateFormatError) {
    algorithm = try reader.integer(1)
    bytes = try reader.bytes(2)
  }
}

/// A member of a saved state that is missing or not what it should be.
struct StateFormatError: Error, Hashable {
  let member: String
}
