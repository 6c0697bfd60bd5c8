import CTAPMessages
import FIDOCrypto
import Octets

extension Authenticator {
  /// The saved state, or a new key's; in either case with the configured PIN where none is set.
  static func load(
    _ store: any VirtualKeyStore, _ profile: VirtualKeyProfile, _ initialPIN: StoredPIN?, _ random: any RandomSource
  ) throws(VirtualKeyStoreError) -> VirtualKeyState {
    let saved = try store.load()
    var state = saved ?? .factory(profile, random)
    if state.pin != nil { return state }
    if let initialPIN, profile.option(.clientPin) != nil {
      state.pin = initialPIN
    } else if saved == nil, profile.option(.clientPin) == true {
      // Nothing that a host can send has this hash: a PIN is set that nobody knows.
      state.pin = StoredPIN(hash: random.bytes(16), length: profile.minimumPINLength)
    }
    return state
  }

  var isPINSet: Bool { state.pin != nil }

  /// Whether the built-in sensor can verify: as the profile says, or where fingerprints can be enrolled, once one is.
  var isBuiltInUVConfigured: Bool {
    guard profile.enrolsFingerprints else { return profile.option(.uv) == true }
    return profile.option(.uv) != nil && !state.fingerprints.isEmpty
  }

  /// Whether some form of user verification is configured.
  var isProtected: Bool { isPINSet || isBuiltInUVConfigured }

  var alwaysUV: Bool { state.alwaysUV ?? (profile.option(.alwaysUv) == true) }

  /// Whether a credential that is not resident may be made without user verification.
  var makeCredUvNotRqd: Bool { profile.option(.makeCredUvNotRqd) == true && !alwaysUV }

  /// Whether a PIN may not get a token for makeCredential and getAssertion.
  var pinGivesNoMcGa: Bool { profile.option(.noMcGaPermissionsWithClientPin) == true }

  var enterpriseAttestation: Bool { state.enterpriseAttestation ?? (profile.option(.ep) == true) }

  var minimumPINLength: Int { state.minimumPINLength ?? profile.minimumPINLength }

  /// Whether PINs have to be more than long (CTAP 2.2 §12.6).
  var enforcesPINComplexity: Bool { state.pinComplexityPolicy ?? (profile.info.pinComplexityPolicy == true) }

  /// How many more resident credentials there is room for.
  var remainingResidents: Int { max(profile.residentCapacity - state.credentials.count(where: \.isResident), 0) }
}

extension VirtualKeyState {
  /// What a key remembers when it leaves the factory, and after a reset.
  static func factory(_ profile: VirtualKeyProfile, _ random: any RandomSource) -> VirtualKeyState {
    var state = VirtualKeyState(masterSecret: random.bytes(32))
    state.mustChangePIN = profile.info.forcePINChange ?? false
    // A profile that says so has a finger enrolled, whose it is nobody knows.
    let hasFinger = profile.option(.bioEnroll) ?? profile.option(.userVerificationMgmtPreview)
    if hasFinger == true { state.fingerprints = [StoredFingerprint(id: [0, 1])] }
    return state
  }
}

extension StoredPIN {
  /// The PIN in UTF-8, as the key keeps it; where it is no UTF-8, each byte counts.
  init(_ pin: SecretBytes) {
    var bytes = pin.exposed()
    hash = Array(Digest.sha256(bytes).prefix(16))
    length = Self.codePoints(bytes) ?? bytes.count
    bytes.wipe()
  }

  /// Whether a PIN is one code point repeated, or a run up or down, such as 1111, 1234 or 9876.
  static func isSimple(_ bytes: some Sequence<UInt8>) -> Bool {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var last: Int?
    var steps: Set<Int> = []
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      let value = Int(scalar.value)
      if let last { steps.insert(value - last) }
      last = value
    }
    guard let step = steps.first else { return true }
    return steps.count == 1 && abs(step) <= 1
  }

  /// The number of code points in UTF-8, or nil where it is none; without a copy of the text that nobody would wipe.
  static func codePoints(_ bytes: some Sequence<UInt8>) -> Int? {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var count = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue: count += 1
      case .emptyInput: return count
      case .error: return nil
      }
    }
  }
}
