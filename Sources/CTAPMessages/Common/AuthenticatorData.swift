public import CBOR

/// What an authenticator says and signs about a ceremony (WebAuthn L3 §6.1).
public struct AuthenticatorData: Hashable, Sendable {
  /// The bits of the flags byte; the reserved ones, 0x02 and 0x20, are kept.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The byte.
    public let rawValue: UInt8

    /// Creates flags from a byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// UP: a person was present.
    public static let userPresent = Flags(rawValue: 0x01)
    /// UV: the person was verified.
    public static let userVerified = Flags(rawValue: 0x04)
    /// BE: the credential may be backed up and moved to other authenticators.
    public static let backupEligible = Flags(rawValue: 0x08)
    /// BS: the credential is backed up now.
    public static let backedUp = Flags(rawValue: 0x10)
    /// AT: a new credential follows.
    public static let attestedCredential = Flags(rawValue: 0x40)
    /// ED: extension outputs follow.
    public static let extensionData = Flags(rawValue: 0x80)
  }

  /// What the flags BE and BS say together.
  public enum Backup: Hashable, Sendable {
    /// The credential cannot leave its authenticator (BE clear, BS clear).
    case deviceBound
    /// The credential can be backed up and is not (BE set, BS clear).
    case eligible
    /// The credential is backed up (BE set, BS set).
    case backedUp
    /// BS is set without BE, which the specification forbids.
    case contradiction
  }

  /// The SHA-256 hash of the RP ID, 32 bytes.
  public let rpIDHash: [UInt8]
  /// The flags; AT and ED say whether the two members below are there.
  public let flags: Flags
  /// The signature counter; 0 where the authenticator has none.
  public let signCount: UInt32
  /// The new credential, after a registration.
  public let attestedCredential: AttestedCredential?
  /// The outputs of authenticator extensions, by identifier.
  public let extensions: CBORMap?

  // The outputs as they were read: a signature covers these bytes, whatever their order.
  let extensionBytes: [UInt8]?

  /// Creates authenticator data; the flags AT and ED are set by what is there.
  ///
  /// Throws a `MessageError` where the hash has not 32 bytes.
  public init(
    rpIDHash: [UInt8], flags: Flags, signCount: UInt32, attestedCredential: AttestedCredential? = nil,
    extensions: CBORMap? = nil
  ) throws(MessageError) {
    guard rpIDHash.count == 32 else {
      throw MessageError(
        message: Self.messageName, member: "rpIdHash",
        problem: .wrongValue(expected: "32 bytes", found: "\(rpIDHash.count) bytes"))
    }
    self.init(
      hash: rpIDHash, flags: flags, signCount: signCount, attestedCredential: attestedCredential,
      extensions: extensions, extensionBytes: extensions.map { CBORValue.map($0).encoded() })
  }

  init(
    hash: [UInt8], flags: Flags, signCount: UInt32, attestedCredential: AttestedCredential?,
    extensions: CBORMap?, extensionBytes: [UInt8]?
  ) {
    rpIDHash = hash
    self.flags =
      flags.subtracting([.attestedCredential, .extensionData])
      .union(attestedCredential == nil ? [] : .attestedCredential)
      .union(extensions == nil ? [] : .extensionData)
    self.signCount = signCount
    self.attestedCredential = attestedCredential
    self.extensions = extensions
    self.extensionBytes = extensionBytes
  }

  /// What the flags BE and BS say; `contradiction` is for the caller to refuse.
  public var backup: Backup {
    switch (flags.contains(.backupEligible), flags.contains(.backedUp)) {
    case (false, false): .deviceBound
    case (true, false): .eligible
    case (true, true): .backedUp
    case (false, true): .contradiction
    }
  }
}
