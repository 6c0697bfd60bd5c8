internal import CTAPMessages
internal import Octets
internal import VirtualKey

/// The keys of the ceremonies.
enum Keys {
  static let thePIN = "7294-Sesame"
  static let theNewPIN = "3861-Sesame"

  /// The virtual key's own profile, changed.
  static func plain(_ change: (inout VirtualKeyConfiguration) -> Void) -> VirtualKeyConfiguration {
    var key = VirtualKeyConfiguration()
    change(&key)
    return key
  }

  /// A key with a PIN and these protocols.
  static func pin(_ protocols: [Int]) -> VirtualKeyConfiguration {
    plain { key in
      key.pin = SecretBytes(Array(thePIN.utf8))
      key.profile.info.pinUvAuthProtocols = protocols
    }
  }

  /// A key of CTAP 2.0 with a PIN: its token has no permissions.
  static var oldPIN: VirtualKeyConfiguration {
    var key = pin([1])
    key.profile.info.versions = ["FIDO_2_0"]
    key.profile.info.options = ["rk": true, "up": true, "clientPin": true]
    return key
  }

  /// A key that verifies by itself and gives a token for it.
  static var fingerprint: VirtualKeyConfiguration {
    plain { key in
      key.profile.info.options = ["rk": true, "up": true, "uv": true, "pinUvAuthToken": true, "makeCredUvNotRqd": true]
    }
  }

  /// A key that verifies by itself while it makes a credential.
  static var oldFingerprint: VirtualKeyConfiguration {
    plain { key in
      key.profile.info.versions = ["FIDO_2_0"]
      key.profile.info.options = ["rk": true, "up": true, "uv": true]
    }
  }

  /// A key that takes lists of 8 and messages of 1300 bytes.
  static var small: VirtualKeyConfiguration { plain(shrink) }

  static var smallWithPIN: VirtualKeyConfiguration {
    var key = pin([2])
    shrink(&key)
    return key
  }

  /// A key with a PIN that takes messages of 220 bytes, so that a large-blob array comes and goes in parts.
  static var smallMessages: VirtualKeyConfiguration {
    var key = pin([2])
    key.profile.info.maxMsgSize = 220
    return key
  }

  private static func shrink(_ key: inout VirtualKeyConfiguration) {
    key.profile.info.maxCredentialCountInList = 8
    key.profile.info.maxMsgSize = 1300
  }
}
