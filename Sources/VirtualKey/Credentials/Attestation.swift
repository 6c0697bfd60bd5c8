import CBOR
import CTAPMessages
import FIDOCrypto
import Octets

extension Authenticator {
  /// Answers with the attestation that policy and request ask for (WebAuthn L3 §8.2, §8.7).
  ///
  /// An enterprise attestation is one by certificate, whatever else was asked for (CTAP 2.1 §7.1).
  ///
  /// Returns a new attestation identity as well where one had to be made, for the state that is saved next.
  func attest(
    _ plan: CreationPlan, _ authData: AuthenticatorData, _ credential: StoredCredential, _ unsigned: CBORMap,
    _ key: SigningKey
  ) throws(Refusal) -> (MakeCredentialResponse, AttestationIdentity?) {
    var response = MakeCredentialResponse(
      fmt: "none", authData: authData, attStmt: CBORMap(), epAtt: plan.isEnterprise ? true : nil,
      largeBlobKey: credential.largeBlobKey, unsignedExtensionOutputs: unsigned.isEmpty ? nil : unsigned)
    let policy = plan.isEnterprise ? .packed : prefersNone(plan.request) ? .none : configuration.attestation
    if policy == .none { return (response, nil) }
    let signed = authData.encoded() + plan.request.clientDataHash
    response.fmt = "packed"
    if policy == .packed {
      let (identity, isNew) = try attestationIdentity()
      response.attStmt = [
        "alg": .int(identity.key.algorithm), "sig": .bytes(try SigningKey(identity.key).signature(signed)),
        "x5c": [.bytes(identity.certificate)],
      ]
      // The status byte counts too. A key this small attests by itself, unless it has to be an enterprise attestation.
      if plan.isEnterprise || response.encoded().count < profile.maxMsgSize {
        return (response, isNew ? identity : nil)
      }
    }
    response.attStmt = ["alg": .int(key.algorithm.rawValue), "sig": .bytes(try key.signature(signed))]
    return (response, nil)
  }

  /// What attestation is signed with, and whether it had to be made and is to be saved.
  func attestationIdentity() throws(Refusal) -> (identity: AttestationIdentity, isNew: Bool) {
    if let known = state.attestation, known.aaguid == profile.info.aaguid.bytes { return (known, false) }
    return (try .make(for: profile, random), true)
  }

  /// Whether the request prefers no attestation, on a key that knows preferences (CTAP 2.2 §6.1).
  private func prefersNone(_ request: MakeCredentialRequest) -> Bool {
    guard let formats = profile.info.attestationFormats else { return false }
    return request.attestationFormatsPreference.first(where: formats.contains) == "none"
  }
}

extension AttestationIdentity {
  /// Makes an attestation key, its certificate, and the authority that vouches for it and is then forgotten.
  ///
  /// Every store has its own, so the certificate also tells one virtual key from another: nothing for privacy, and just
  /// what an enterprise attestation is for.
  ///
  /// The certificate has the model's AAGUID, but for U2F keys, which have none.
  static func make(for profile: VirtualKeyProfile, _ random: any RandomSource) throws(Refusal) -> AttestationIdentity {
    let aaguid = profile.info.aaguid
    let authorityKey = try SigningKey.make(.es256, random).signing
    let key = try SigningKey.make(.es256, random)
    do throws(CryptoError) {
      let authority = try Certificate.makeAuthority(
        key: authorityKey, subject: name("Virtual Key Attestation Root"), serialNumber: serial(random),
        notBefore: start, notAfter: end)
      let certificate = try Certificate.makeAttestation(
        key: key.signing, subject: name("Virtual Key Attestation"), aaguid: profile.speaksCTAP2 ? aaguid.bytes : nil,
        serialNumber: serial(random), notBefore: start, notAfter: end,
        issuer: CertificateIssuer(certificate: authority, key: authorityKey))
      return AttestationIdentity(
        aaguid: aaguid.bytes, key: key.stored, certificate: certificate.der, authority: authority.der)
    } catch {
      throw Refusal(.other)
    }
  }

  // 2020-01-01 and 2060-01-01 UTC: certificates that do not run out in the middle of somebody's test.
  private static let start: Int64 = 1_577_836_800
  private static let end: Int64 = 2_840_140_800

  /// AA is an ISO 3166 code that is left to users: the virtual key is from no country.
  private static func name(_ commonName: String) -> CertificateName {
    CertificateName(country: "AA", organization: "CTAPBridge", commonName: commonName)
  }

  private static func serial(_ random: any RandomSource) -> [UInt8] {
    var serial = random.bytes(16)
    // Positive, and never with a leading zero.
    serial[0] = serial[0] & 0x3f | 0x40
    return serial
  }
}
