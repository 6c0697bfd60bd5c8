internal import CTAPHID
internal import Octets
internal import Synchronization
internal import WebAuthnClient

/// Somebody who knows the PIN and types it once each time it is asked for, but never one that was called wrong.
final class Person: UserInteraction {
  private let pin: String
  private let account: String?
  private let typed = Mutex(0)

  init(pin: String, account: String? = nil) {
    self.pin = pin
    self.account = account
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

  /// The account that was meant, told by its name; nobody picks another one.
  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    guard let account else { return request.accounts.first }
    return request.accounts.first { $0.name == account }
  }

  func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes? {
    switch request.occasion {
    case .first, .replacement: SecretBytes(Array(Keys.theNewPIN.utf8))
    case .unusable: nil
    }
  }
}
