internal import CTAPMessages
internal import VirtualKey

extension Judge {
  /// How often the change was made that was asked for.
  var changes: Int {
    guard case .change(let wanted) = assignment.task else { return 0 }
    return log.count { isMade(wanted, $0.event) }
  }

  /// What was changed on the key and not asked for.
  var unaskedChanges: [String] {
    log.compactMap { entry in
      if case .change(let wanted) = assignment.task, isMade(wanted, entry.event) { return nil }
      return switch entry.event {
      case .credentialDeleted: "a credential was deleted"
      case .credentialUpdated: "the names of an account were changed"
      case .pinSet: "the PIN was set"
      case .configured: "a setting was changed"
      case .fingerprintEnrolled: "a fingerprint was enrolled"
      case .fingerprintRemoved: "a fingerprint was removed"
      case .largeBlobsWritten: "the large blobs were written"
      case .wasReset: "the key was reset"
      default: nil
      }
    }
  }

  /// Whether the key carried out a command that nobody sends here, and that is answered as emptily as a change: a
  /// command's number is covered by nothing.
  var didSomethingElse: Bool {
    log.contains { entry in
      if case .command(let number, _, _) = entry.event {
        [CTAPCommand.reset.rawValue, CTAPCommand.selection.rawValue].contains(number)
      } else {
        false
      }
    }
  }

  private func isMade(_ wanted: Assignment.Change, _ event: VirtualKeyEvent) -> Bool {
    switch (wanted, event) {
    case (.deletion(let id), .credentialDeleted(_, let deleted)): id == deleted
    case (.renaming(let id), .credentialUpdated(_, let updated)): id == updated
    case (.newPIN, .pinSet): true
    case (.largeBlob, .largeBlobsWritten): true
    default: false
    }
  }

  /// Whether an error about a change says how to find out whether it was made.
  func tellsHowToFindOut(_ failure: HostReport.Failure) -> Bool {
    ["List the credentials", "List the large blobs", "Try the new one", "Look at"].contains {
      failure.text.contains($0)
    }
  }
}
