import CTAPMessages

extension Authenticator {
  /// authenticatorGetInfo (CTAP 2.1 §6.4): the profile, with what depends on the state as it is now.
  func getInfo() -> Outcome { .message(currentInfo) }

  var currentInfo: GetInfoResponse {
    var info = profile.info
    if info.options?[.clientPin] != nil { info.options?[.clientPin] = isPINSet }
    if info.options?[.alwaysUv] != nil { info.options?[.alwaysUv] = alwaysUV }
    if alwaysUV { info.versions.removeAll { $0 == VirtualKeyProfile.u2fVersion } }
    if !configuration.echoExtensions.isEmpty {
      info.extensions = (info.extensions ?? []) + configuration.echoExtensions.map(\.identifier)
    }
    if state.alwaysUV == true, info.options?[.makeCredUvNotRqd] != nil { info.options?[.makeCredUvNotRqd] = false }
    let hasFinger = !state.fingerprints.isEmpty
    if info.options?[.bioEnroll] != nil { info.options?[.bioEnroll] = hasFinger }
    if info.options?[.userVerificationMgmtPreview] != nil { info.options?[.userVerificationMgmtPreview] = hasFinger }
    if info.options?[.uv] != nil { info.options?[.uv] = isBuiltInUVConfigured }
    if info.longTouchForReset != nil { info.longTouchForReset = state.longTouchForReset ?? info.longTouchForReset }
    if info.pinComplexityPolicy != nil { info.pinComplexityPolicy = enforcesPINComplexity }
    if info.options?[.ep] != nil { info.options?[.ep] = enterpriseAttestation }
    if info.forcePINChange != nil || state.mustChangePIN { info.forcePINChange = state.mustChangePIN }
    if let length = state.minimumPINLength { info.minPINLength = length }
    if info.remainingDiscoverableCredentials != nil { info.remainingDiscoverableCredentials = remainingResidents }
    hide(&info)
    return info
  }
}
