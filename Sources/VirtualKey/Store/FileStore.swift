import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A store in a file of mode 0600 that is there whole, old or new, after a crash at any moment.
///
/// A state is written to `FILE.new`, synced, and renamed over the file; then the directory is synced. Two processes are
/// kept apart by a lock on `FILE.lock`, which stays behind empty. A file that others may read, that somebody else owns,
/// or that is damaged is refused and left alone.
public final class FileStore: VirtualKeyStore {
  /// The path of the file.
  public let path: String

  private let lock = Mutex<OwnedDescriptor?>(nil)
  private let afterStep: (@Sendable (FileStoreStep) -> Bool)?

  /// Creates a store on a path; nothing is read or written yet.
  public convenience init(path: String) {
    self.init(path: path, afterStep: nil)
  }

  /// Creates a store that calls a hook after each system call that changes something; false stops it as a kill would.
  public init(path: String, afterStep: (@Sendable (FileStoreStep) -> Bool)?) {
    // A link is followed once, so that renaming replaces the file and not the link.
    self.path = FileCalls.resolved(path)
    self.afterStep = afterStep
  }

  /// Takes the lock that keeps other processes out; false where one of them has it.
  public func acquire() throws(VirtualKeyStoreError) -> Bool {
    try lock.withLock { (held) throws(VirtualKeyStoreError) in
      if held != nil { return true }
      let file = try FileCalls.open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, "open the lock")
      guard try FileCalls.tryLock(file, path + ".lock") else { return false }
      held = file
      return true
    }
  }

  /// Gives the lock back.
  public func release() {
    lock.withLock { $0 = nil }
  }

  /// Reads the file; nil where there is none, or an empty one as `mktemp` makes it.
  public func load() throws(VirtualKeyStoreError) -> VirtualKeyState? {
    guard let file = try FileCalls.openIfPresent(path) else { return nil }
    try FileCalls.checkPrivate(file, path)
    let bytes = try FileCalls.readAll(file, path, limit: StateFile.maximumSize)
    if bytes.isEmpty { return nil }
    do {
      return try StateFile.decode(bytes)
    } catch {
      switch error {
      case .corrupt(let reason): throw .corrupt(path: path, reason: reason)
      case .newer(let version): throw .newer(path: path, version: version)
      }
    }
  }

  /// Replaces the file's content; the caller holds the lock.
  public func save(_ state: VirtualKeyState) throws(VirtualKeyStoreError) {
    let temporary = path + ".new"
    do {
      try write(StateFile.encode(state), to: temporary)
      try FileCalls.rename(temporary, path)
      try reached(.renamed)
      try FileCalls.syncDirectory(of: path)
      try reached(.directorySynced)
    } catch {
      if error != .stopped { FileCalls.removeQuietly(temporary) }
      throw error
    }
  }

  private func write(_ bytes: [UInt8], to temporary: String) throws(VirtualKeyStoreError) {
    // What a kill left behind goes first, so that O_EXCL can see to it that the file is ours.
    FileCalls.removeQuietly(temporary)
    try reached(.leftoverRemoved)
    let file = try FileCalls.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "create")
    try reached(.created)
    var offset = 0
    while offset < bytes.count {
      offset += try FileCalls.write(bytes[offset..<min(offset + 4096, bytes.count)], file, temporary)
      try reached(.wrote(offset))
    }
    try FileCalls.sync(file, temporary)
    try reached(.synced)
  }

  private func reached(_ step: FileStoreStep) throws(VirtualKeyStoreError) {
    if let afterStep, !afterStep(step) { throw .stopped }
  }
}

/// The system calls of a save that change something, in their order.
public enum FileStoreStep: Hashable, Sendable {
  /// A temporary file that an earlier kill left was removed.
  case leftoverRemoved
  /// The temporary file was created.
  case created
  /// So many bytes are written.
  case wrote(Int)
  /// The temporary file is on the disk.
  case synced
  /// The temporary file took the file's place.
  case renamed
  /// The directory is on the disk.
  case directorySynced
}
