public import FIDOCrypto

/// What a relying party accepts, beside what its request says.
public struct RelyingPartyPolicy: Sendable {
  /// The origins that may have run the ceremony, serialised as in client data; where empty, the origin is not checked.
  public var origins: [String]
  /// The origins of pages that may embed the ceremony's page; where empty, none may.
  public var topOrigins: [String]
  /// The certificates that attestation must lead to; nil where the chain is not checked.
  public var trustAnchors: [Certificate]?
  /// The moment at which certificates must be valid, in seconds since 1970 UTC.
  public var time: Int64
  /// Whether the checks after one that failed are left out.
  public var stopsAtFirstFailure: Bool

  /// Creates a policy.
  public init(
    origins: [String], topOrigins: [String] = [], trustAnchors: [Certificate]? = nil, time: Int64,
    stopsAtFirstFailure: Bool = false
  ) {
    self.origins = origins
    self.topOrigins = topOrigins
    self.trustAnchors = trustAnchors
    self.time = time
    self.stopsAtFirstFailure = stopsAtFirstFailure
  }
}
