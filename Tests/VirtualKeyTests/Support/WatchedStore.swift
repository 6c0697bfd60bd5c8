import Synchronization

@testable import VirtualKey

/// A store that remembers each state that it was given, and can be told to fail.
final class WatchedStore: VirtualKeyStore {
  private let content = Mutex((saved: [VirtualKeyState](), failure: VirtualKeyStoreError?.none, isTaken: false))

  var saved: [VirtualKeyState] { content.withLock { $0.saved } }

  var failure: VirtualKeyStoreError? {
    get { content.withLock { $0.failure } }
    set { content.withLock { $0.failure = newValue } }
  }

  var isTaken: Bool {
    get { content.withLock { $0.isTaken } }
    set { content.withLock { $0.isTaken = newValue } }
  }

  func acquire() throws(VirtualKeyStoreError) -> Bool {
    content.withLock { content in
      defer { content.isTaken = true }
      return !content.isTaken
    }
  }

  func release() { isTaken = false }

  func load() throws(VirtualKeyStoreError) -> VirtualKeyState? {
    if let failure { throw failure }
    return saved.last
  }

  func save(_ state: VirtualKeyState) throws(VirtualKeyStoreError) {
    if let failure { throw failure }
    content.withLock { $0.saved.append(state) }
  }
}
