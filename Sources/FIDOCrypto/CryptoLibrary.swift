import COpenSSL

/// How OpenSSL serves this process.
public enum CryptoLibrary {
  /// Leaves what OpenSSL has set up to the system when the process ends, instead of taking it apart piece by piece.
  ///
  /// That saves time, and threads that still run while the process ends find everything in its place.
  ///
  /// For a program that does one thing and ends, before anything else of this module is used; a library does not decide
  /// this for the program that it is part of. Keys and secrets are not affected: their owners free and clear them.
  public static func skipCleanupAtExit() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}
