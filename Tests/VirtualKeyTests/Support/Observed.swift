import CTAPMessages
import Synchronization

@testable import VirtualKey

/// Counts the log entries that an observer is told.
final class Observed: Sendable {
  private let entries = Mutex(0)

  var count: Int { entries.withLock { $0 } }

  func add(_ entry: VirtualKeyLogEntry) { entries.withLock { $0 += 1 } }
}

extension TestKey {
  /// The size of an answer to getInfo, its status byte included.
  func infoSize() throws -> Int { 1 + VirtualKeyProfile.standard.info.encoded().count }
}

/// Notes the steps of a save.
final class Recorded: Sendable {
  private let steps = Mutex<[FileStoreStep]>([])

  var all: [FileStoreStep] { steps.withLock { $0 } }

  func note(_ step: FileStoreStep) -> Bool {
    steps.withLock { $0.append(step) }
    return true
  }
}
