internal import CTAPHID
internal import Octets
internal import Synchronization
internal import WebAuthnClient

/// Somebody who knows the PIN and types it once each time it is asked for, but never one that was called wrong.
final class Person: UserInteraction {
  private let pin: String
  private let typed = Mutex(0)

  init(pin: String) {
    self.pin = pin
  }

  var isAttended: Bool { false }

  /// How often a PIN was typed.
  var typedPINs: Int { typed.withLock { $0 } }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
    switch request.occasion {
    case .needed, .insteadOfBuiltIn:
      typed.withLock { $0 += 1 }
      return SecretBytes(Array(pin.utf8))
    case .wrong, .unusable: return nil
    }
  }
}
