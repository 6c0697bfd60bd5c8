import CBOR
import CTAPMessages
import Testing
import VirtualKey
import WebAuthnClient

extension RulesWire {
  /// The extensions that went with the last command of a name; nil where it had none at all.
  func extensions(_ name: String) throws -> CBORMap? {
    let message = try #require(messages().last { $0.name == name }, "no \(name)")
    return message.parameters?[name == "makeCredential" ? 6 : 4]?.mapValue
  }

  /// The permissions of each token that was asked for.
  var permissions: [PINUVAuthPermissions] {
    messages().compactMap { $0.parameters?[9]?.intValue }.map { PINUVAuthPermissions(rawValue: $0) }
  }
}

extension Desk {
  /// A desk with one key, everything that is written to it, and nobody waiting for another one.
  static func watched(
    _ configuration: VirtualKeyConfiguration = VirtualKeyConfiguration(), pins: [String] = []
  ) throws -> (desk: Desk, key: VirtualKeyPort, wire: RulesWire) {
    var desk = Desk(Person(pins: pins))
    let wire = RulesWire()
    desk.wire = wire
    desk.options.waitsForKey = false
    return (desk, try desk.key("virtual", configuration), wire)
  }
}

/// How a key keeps large blobs, and whether it has a PIN.
enum BlobKeeping: CaseIterable {
  case array, arrayWithPIN, arrayWithOldProtocol, direct, directWithPIN

  var hasPIN: Bool { self != .array && self != .direct }
  var isDirect: Bool { self == .direct || self == .directWithPIN }

  var key: VirtualKeyConfiguration {
    .with(pin: hasPIN ? "1234" : nil) { info in
      if isDirect { info.extensions = ["credProtect", "largeBlob"] }
      if self == .arrayWithOldProtocol { info.pinUvAuthProtocols = [1] }
    }
  }
}
