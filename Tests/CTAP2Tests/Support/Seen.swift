import CTAPHID
import Synchronization

/// The keep-alives that came, in order.
final class Seen: Sendable {
  private let statuses = Mutex<[KeepAlive]>([])

  func add(_ status: KeepAlive) { statuses.withLock { $0.append(status) } }

  var all: [KeepAlive] { statuses.withLock { $0 } }
}
