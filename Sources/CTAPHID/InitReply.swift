internal import Octets

/// What a key answers to INIT (CTAP §11.2.9.1.3).
public struct InitReply: Hashable, Sendable {
  /// The eight bytes that the asking program chose.
  public var nonce: [UInt8]
  /// The channel that the key hands out.
  public var channel: ChannelID
  /// The CTAPHID protocol version; 2 on every key so far.
  public var protocolVersion: UInt8
  /// The key's version.
  public var version: DeviceVersion
  /// What the key can do.
  public var capabilities: DeviceCapabilities

  /// The length of the nonce in bytes.
  public static let nonceLength = 8
  /// The length of the reply in bytes.
  public static let length = 17

  /// Creates a reply from its parts.
  public init(
    nonce: [UInt8], channel: ChannelID, protocolVersion: UInt8 = 2, version: DeviceVersion,
    capabilities: DeviceCapabilities
  ) {
    self.nonce = nonce
    self.channel = channel
    self.protocolVersion = protocolVersion
    self.version = version
    self.capabilities = capabilities
  }

  /// Takes a reply apart; nil where it is shorter than 17 bytes. What follows them is left alone.
  public init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let nonce = try? reader.bytes(Self.nonceLength), let channel = try? reader.uint32(),
      let rest = try? reader.bytes(5)
    else { return nil }
    self.nonce = nonce
    self.channel = ChannelID(rawValue: channel)
    protocolVersion = rest[0]
    version = DeviceVersion(major: rest[1], minor: rest[2], build: rest[3])
    capabilities = DeviceCapabilities(rawValue: rest[4])
  }

  /// The reply's 17 bytes.
  public func encoded() -> [UInt8] {
    var bytes = nonce
    bytes.append(bigEndian: channel.rawValue)
    bytes += [protocolVersion, version.major, version.minor, version.build, capabilities.rawValue]
    return bytes
  }
}

/// A key's version in its INIT reply; the vendor decides what the numbers mean.
public struct DeviceVersion: Hashable, Sendable, CustomStringConvertible {
  /// The first number.
  public var major: UInt8
  /// The second number.
  public var minor: UInt8
  /// The third number.
  public var build: UInt8

  /// Creates a version.
  public init(major: UInt8, minor: UInt8, build: UInt8) {
    self.major = major
    self.minor = minor
    self.build = build
  }

  /// The three numbers with points between them.
  public var description: String { "\(major).\(minor).\(build)" }
}
