internal import JSONText

extension ExtensionInputs {
  /// Reads a member that wants `true`: `false` and absence mean that it is not asked for, anything else is malformed.
  public func flag(_ name: String) -> ExtensionReading<Void> {
    guard let value = self[name] else { return .notRequested }
    guard let flag = value.boolValue else {
      return .malformed("\(value.path) is \(value.found); expected true or false")
    }
    return flag ? .honoured(()) : .notRequested
  }
}

extension ExtensionReading {
  /// The same reading with the work that an extension does for it.
  public func work<Other: Sendable>(_ make: (Work) -> Other) -> ExtensionReading<Other> {
    switch self {
    case .notRequested: .notRequested
    case .malformed(let problem): .malformed(problem)
    case .honoured(let value): .honoured(make(value))
    }
  }
}
