internal import CPSL

/// The public suffix list: the system's copy where it is newer than the one compiled into libpsl.
enum PublicSuffix {
  // Loaded once and never freed or changed, so threads may share it.
  private nonisolated(unsafe) static let list: OpaquePointer? = psl_latest(nil)

  /// Whether `domain`, in lower-case ASCII, is a public suffix; an unlisted top-level domain counts as one.
  static func contains(_ domain: String) -> Bool {
    guard let list else { return !domain.contains(".") }
    return psl_is_public_suffix(list, domain) != 0
  }

  /// The public suffix that `domain` ends with, or nil where it has none.
  static func suffix(of domain: String) -> String? {
    tail(of: domain, psl_unregistrable_domain)
  }

  /// The public suffix and the label before it, or nil where `domain` is itself a public suffix.
  static func registrableDomain(of domain: String) -> String? {
    tail(of: domain, psl_registrable_domain)
  }

  private static func tail(
    of domain: String, _ find: (OpaquePointer, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
  ) -> String? {
    guard let list else { return nil }
    // What libpsl returns points into the text that it was given.
    return domain.withCString { text in find(list, text).map { String(cString: $0) } }
  }
}
