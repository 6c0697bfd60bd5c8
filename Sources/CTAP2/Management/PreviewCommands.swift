internal import CTAPHID
internal import CTAPMessages

extension KeySession {
  /// Sends a command in the form that the key answers.
  ///
  /// Keys from before CTAP 2.1 was final have previews of two commands, under other numbers. A key that announces the
  /// final form and does not know it is asked in the other one; a command that is not known did nothing, so that is no
  /// repeat.
  ///
  /// - Parameters:
  ///   - forms: the final form where the key announces it, and the preview where it announces that or might answer it.
  ///   - send: sends the command under a number.
  func inKnownForm<Answer>(
    _ forms: ManagementForms, _ send: (CTAPCommand) throws(CTAP2Error) -> Answer
  ) throws(CTAP2Error) -> Answer {
    guard forms.isFinal, !answersPreviewOnly.contains(forms.final) else { return try send(forms.preview) }
    do throws(CTAP2Error) {
      return try send(forms.final)
    } catch {
      guard error.saysUnknown(forms.final) else { throw error }
      let answer: Answer
      do throws(CTAP2Error) {
        answer = try send(forms.preview)
      } catch let second {
        throw second.saysUnknown(forms.preview) ? error : second
      }
      answersPreviewOnly.insert(forms.final)
      return answer
    }
  }
}

/// The two forms of a command that had a preview.
struct ManagementForms {
  let final: CTAPCommand
  let preview: CTAPCommand
  /// Whether the key announces the final form.
  let isFinal: Bool
}

extension CTAP2Error {
  /// Whether the key does not know a command.
  fileprivate func saysUnknown(_ command: CTAPCommand) -> Bool {
    switch self {
    case .status(.invalidCommand, command), .hid(.errorFrame(.invalidCommand, _)): true
    default: false
    }
  }
}
