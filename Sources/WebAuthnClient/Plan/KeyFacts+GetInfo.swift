internal import CTAPMessages

extension KeyFacts {
  init(_ info: GetInfoResponse) {
    let versions = info.versions.filter { $0.hasPrefix("FIDO_2_") }
    speaksCTAP2 = !versions.isEmpty
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
