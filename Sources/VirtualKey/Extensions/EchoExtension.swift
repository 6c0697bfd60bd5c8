import CBOR

/// An extension of makeCredential and getAssertion that gives back what it was given, announced in getInfo.
///
/// It stands for an extension that a host does not know. Input may be any CBOR; what the key itself implements under the
/// same identifier happens beside it.
public struct EchoExtension: Hashable, Sendable {
  /// Where the output is.
  public enum Place: Hashable, Sendable, CaseIterable {
    /// In the authenticator data, which the signature covers.
    case signed
    /// Beside it, among the unsigned extension outputs (CTAP 2.2 §6.1, §6.2).
    case unsigned
  }

  /// The extension's identifier.
  public var identifier: String
  /// Where the output is.
  public var place: Place

  /// Creates an extension.
  public init(_ identifier: String, _ place: Place = .signed) {
    self.identifier = identifier
    self.place = place
  }

  /// An output that is the input.
  struct Echo {
    let identifier: String
    let place: Place
    let value: CBORValue
  }

  /// The output for a request's inputs, or nil where this extension is not among them.
  func echo(of inputs: CBORMap) -> Echo? {
    inputs[identifier].map { Echo(identifier: identifier, place: place, value: $0) }
  }
}

/// The outputs of a command's extensions.
struct ExtensionOutputs {
  /// Those in the authenticator data.
  var signed = CBORMap()
  /// Those that no signature covers.
  var unsigned = CBORMap()

  mutating func add(_ echo: EchoExtension.Echo) {
    switch echo.place {
    case .signed: signed[echo.identifier] = echo.value
    case .unsigned: unsigned[echo.identifier] = echo.value
    }
  }
}
