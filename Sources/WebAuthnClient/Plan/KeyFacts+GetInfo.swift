internal import CTAPMessages

extension KeyFacts {
  init(_ info: GetInfoResponse) {
    let versions = info.versions.filter { $0.hasPrefix("FIDO_2_") }
    speaksCTAP2 = !versions.isEmpty
    speaksU2F = info.versions.contains(Self.u2fVersion)
    speaksCTAP21 = versions.contains { $0 != "FIDO_2_0" && $0 != "FIDO_2_1_PRE" }
    residentKeys = info.isOn(.rk)
    hasRoom = info.remainingDiscoverableCredentials != 0
    pin = info.options?[.clientPin]
    builtIn = info.options?[.uv]
    tokens = info.isOn(.pinUvAuthToken)
    pinCannotCreate = info.isOn(.noMcGaPermissionsWithClientPin)
    alwaysVerifies = info.isOn(.alwaysUv)
    createsUnverified = info.isOn(.makeCredUvNotRqd)
    enterprise = info.isOn(.ep)
    mustChangePIN = info.mustChangePIN
    let known = info.algorithms?.filter { $0.type == CredentialParameters.publicKey }.map(\.algorithm)
    // An empty list is no statement.
    algorithms = known?.isEmpty == true ? nil : known
  }
}

extension AuthenticatorInfo {
  /// The same key as it shows itself over U2F, which has neither a model nor extensions nor options.
  var overU2F: AuthenticatorInfo {
    var info = self
    info.abilities = GetInfoResponse(versions: [KeyFacts.u2fVersion], aaguid: .zero)
    info.abilities.transports = abilities.transports
    return info
  }
}
