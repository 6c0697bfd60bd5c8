import CTAPMessages

/// What proves that a command of management may be carried out.
struct ManagementProof {
  let message: [UInt8]
  let param: [UInt8]?
  let version: Int?
}

extension Authenticator {
  /// Demands a token with a permission; `rpID` is the relying party that the command is about, nil where about all.
  ///
  /// A token that is bound to an RP ID is good for that one alone. The pinToken of a key without permissions is good for
  /// everything, as it was before CTAP 2.1.
  func requireToken(
    _ proof: ManagementProof, _ permission: PINUVAuthPermissions, rpID: String? = nil, readsOnly: Bool = false
  ) throws(Refusal) {
    guard let param = proof.param else { throw Refusal(.puatRequired) }
    let version = try required(proof.version)
    try requireProtocol(version)
    if readsOnly, persistentTokenVerifies(param, of: proof.message, version: version) { return }
    guard token.verifies(param, of: proof.message, version: version, now: now) else { throw Refusal(.pinAuthInvalid) }
    guard profile.hasPermissions else { return }
    guard token.permissions.contains(permission), token.rpID == nil || token.rpID == rpID else {
      throw Refusal(.pinAuthInvalid)
    }
  }
}
