/// A source of random bytes, passed in so that a test or a recording can decide them.
public protocol RandomSource: Sendable {
  /// Returns `count` random bytes that may become known, such as a nonce.
  func bytes(_ count: Int) -> [UInt8]

  /// Returns `count` random bytes that must stay secret, such as a private key; a recording leaves them out.
  func secretBytes(_ count: Int) -> SecretBytes

  /// The source for the session with one key: a recording tells apart what keys draw side by side.
  func forKey(_ id: String) -> any RandomSource
}

extension RandomSource {
  /// Returns `count` bytes of `bytes`, kept as a secret.
  public func secretBytes(_ count: Int) -> SecretBytes {
    var drawn = bytes(count)
    return SecretBytes(taking: &drawn)
  }

  /// This source itself.
  public func forKey(_ id: String) -> any RandomSource { self }
}
