internal import JSONText
public import WebAuthnClient

/// `thalesgroup_ext_v1`: the user names the authenticator, and the name goes to the relying party.
///
/// The name is asked for when the key is chosen and nothing has been created, so that a user who cancels leaves nothing
/// behind. Input `true`; output `{"authenticatorDescription":{"friendlyName":name}}`.
///
/// 1. White space at both ends is trimmed; the text is otherwise kept as typed, without normalisation.
/// 2. A blank name becomes the suggested one.
/// 3. Control characters and bidirectional overrides are refused.
/// 4. A name of more than 128 UTF-16 units is cut at a whole grapheme, with a warning.
public struct FriendlyNameExtension: ClientExtension {
  /// The most UTF-16 units of a name.
  public static let maximumLength = 128

  /// Creates the extension.
  public init() {}

  /// `thalesgroup_ext_v1`.
  public var identifier: String { "thalesgroup_ext_v1" }

  /// Wants `true`.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    inputs.flag(identifier).work { _ in Work(identifier: identifier) }
  }

  private struct Work: RegistrationExtension {
    let identifier: String
    var name: String?

    mutating func prepare(
      for authenticator: AuthenticatorInfo, asking user: any UserInteraction
    ) async throws(WebAuthnError) {
      let descriptor: AuthenticatorDescriptor?
      do {
        descriptor = try await user.retrieveAuthenticatorDescription(authenticator)
      } catch {
        throw WebAuthnError(
          .notAllowedError, .cancelled, "The question for the key's name was cancelled; nothing was created.",
          cause: error)
      }
      // Declined: the extension is then not answered, and the registration goes on.
      guard let descriptor else { return }
      if let objection = AuthenticatorDescriptor.objection(to: descriptor.friendlyName) {
        throw WebAuthnError(.typeError, .extensionFailed, objection)
      }
      let typed = descriptor.trimmedName
      let (cut, wasCut) = Self.cut(typed.isEmpty ? authenticator.suggestedName : typed)
      if wasCut {
        user.notify(
          .warning(
            "The name is longer than \(FriendlyNameExtension.maximumLength) characters and was cut to \"\(cut)\"."))
      }
      name = cut
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      guard let name else { return [] }
      return [ExtensionOutput(identifier, ["authenticatorDescription": ["friendlyName": .string(name)]])]
    }

    private static func cut(_ name: String) -> (String, Bool) {
      guard name.utf16.count > FriendlyNameExtension.maximumLength else { return (name, false) }
      var length = 0
      var end = name.startIndex
      for index in name.indices {
        length += name[index].utf16.count
        guard length <= FriendlyNameExtension.maximumLength else { break }
        end = name.index(after: index)
      }
      if end > name.startIndex {
        return (AuthenticatorDescriptor(friendlyName: String(name[..<end])).trimmedName, true)
      }
      // One grapheme alone is too long: keep as many whole code points as fit.
      var prefix = String.UnicodeScalarView()
      for scalar in name.unicodeScalars {
        guard String(prefix).utf16.count + UTF16.width(scalar) <= FriendlyNameExtension.maximumLength else { break }
        prefix.append(scalar)
      }
      return (String(prefix), true)
    }
  }
}
