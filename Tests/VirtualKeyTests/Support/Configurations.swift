import CTAPMessages
import Octets

@testable import VirtualKey

extension VirtualKeyConfiguration {
  /// The key's own profile with other options, and more changes where needed.
  static func with(
    options: [String: Bool?] = [:], pin: String? = nil, presence: PresencePolicy = .auto,
    verification: VerificationPolicy = .succeeds, _ change: (inout GetInfoResponse) -> Void = { _ in }
  ) -> VirtualKeyConfiguration {
    var profile = VirtualKeyProfile.standard
    for (name, value) in options { profile.info.options?[name] = value }
    change(&profile.info)
    return VirtualKeyConfiguration(
      profile: profile, presence: presence, verification: verification, pin: pin.map { SecretBytes(Array($0.utf8)) })
  }

  /// A CTAP 2.0 key.
  static func ctap20(pin: String? = nil) -> VirtualKeyConfiguration {
    with(options: ["pinUvAuthToken": nil, "makeCredUvNotRqd": nil], pin: pin) { info in
      info.versions = ["FIDO_2_0"]
      info.pinUvAuthProtocols = nil
    }
  }
}
