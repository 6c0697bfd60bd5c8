internal import Timing
internal import VirtualKey

extension Ceremony {
  /// Registering and signing in with a key from before CTAP2.
  static let overU2F: [Ceremony] = [
    registration("U2F register", Wishes(isU2F: true), key: key(), past: past),
    registration(
      "U2F register, touched after 0.8 s", Wishes(isU2F: true), key: key(.after(.milliseconds(800))), past: past),
    registration(
      "U2F register, excluded", Wishes(excluded: Array(Lists.fortyAndHeld[17...20]), isU2F: true), key: key(),
      past: past),
    signIn("U2F authenticate", listing: [Lists.forty[0], Accounts.shared.chosen], key: key(), isU2F: true),
    signIn(
      "U2F authenticate, touched after 0.8 s", listing: [Accounts.shared.chosen], key: key(.after(.milliseconds(800))),
      isU2F: true),
  ]

  private static func key(_ presence: PresencePolicy = .auto) -> VirtualKeyConfiguration {
    VirtualKeyConfiguration(profile: .u2f, presence: presence)
  }

  private static var past: VirtualKeyState? { UsedKey.shared.stateOverU2F }
}
