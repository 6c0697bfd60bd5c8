/// Where a virtual key's state is kept between its lives.
public protocol VirtualKeyStore: AnyObject, Sendable {
  /// Takes the store for one key alone; false where another process has it.
  func acquire() throws(VirtualKeyStoreError) -> Bool

  /// Gives the store back; harmless where it was not taken.
  func release()

  /// The state, or nil where none was saved yet.
  func load() throws(VirtualKeyStoreError) -> VirtualKeyState?

  /// Saves a state so that after a crash at any moment either the old or the new one is there.
  func save(_ state: VirtualKeyState) throws(VirtualKeyStoreError)
}

/// Why a store cannot be used.
public enum VirtualKeyStoreError: Error, Hashable, Sendable {
  /// Others may read or change the file; the number is its mode's permission bits.
  case openToOthers(path: String, mode: UInt32)
  /// The file belongs to the user with this number, who is somebody else.
  case foreignOwner(path: String, user: UInt32)
  /// There is something at the path, and it is no plain file.
  case notAFile(path: String)
  /// The file is not a virtual key's, or damaged.
  case corrupt(path: String, reason: String)
  /// The file was written in a later form than this program knows.
  case newer(path: String, version: Int)
  /// The system refused an operation, with its error number and words.
  case system(operation: String, path: String, code: Int32, message: String)
  /// A test stopped the store in the middle, as a kill would.
  case stopped
}

extension VirtualKeyStoreError: CustomStringConvertible {
  /// A sentence for a person.
  public var description: String {
    switch self {
    case .openToOthers(let path, let mode):
      "\(path) holds a virtual key's secrets and others may read it (mode \(String(mode, radix: 8))): chmod 600 it."
    case .foreignOwner(let path, let user):
      "\(path) belongs to user \(user) and not to you: use a file of your own."
    case .notAFile(let path):
      "\(path) is not a plain file."
    case .corrupt(let path, let reason):
      "\(path) is not a virtual key's file, or it is damaged (\(reason)); it was left as it is."
    case .newer(let path, let version):
      "\(path) was written by a later version of this program (form \(version)); it was left as it is."
    case .system(let operation, let path, _, let message):
      "\(path): \(operation): \(message)."
    case .stopped:
      "The store was stopped in the middle."
    }
  }
}
