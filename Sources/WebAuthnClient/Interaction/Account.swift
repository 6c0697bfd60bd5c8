/// One of the accounts that a key holds for a relying party.
public struct Account: Hashable, Sendable {
  /// The identifier of its credential.
  public let credentialID: [UInt8]
  /// The relying party's own handle for the account.
  public let userHandle: [UInt8]?
  /// The account's name; keys tell it only after they have verified their user.
  public let name: String?
  /// The name to show; keys tell it only after they have verified their user.
  public let displayName: String?

  /// Creates an account.
  public init(credentialID: [UInt8], userHandle: [UInt8]?, name: String? = nil, displayName: String? = nil) {
    self.credentialID = credentialID
    self.userHandle = userHandle
    self.name = name
    self.displayName = displayName
  }
}

/// A question for the account to sign in to.
public struct AccountRequest: Sendable {
  /// The key that holds the accounts.
  public var authenticator: AuthenticatorInfo
  /// The RP ID that they are for.
  public var relyingPartyID: String
  /// The accounts, two at least, that of the newest credential first.
  public var accounts: [Account]

  /// Creates a question.
  public init(authenticator: AuthenticatorInfo, relyingPartyID: String, accounts: [Account]) {
    self.authenticator = authenticator
    self.relyingPartyID = relyingPartyID
    self.accounts = accounts
  }
}
