public import FIDOCrypto
internal import Octets

/// Reading of the certificates that attestation must lead to.
public enum TrustAnchors {
  private static let begin = "-----BEGIN CERTIFICATE-----"
  private static let end = "-----END CERTIFICATE-----"

  /// Reads one certificate in DER, or any number in PEM (RFC 7468) with other text between them.
  /// - Throws: `UnreadableInput` where there is none, or one that cannot be read.
  public static func read(_ bytes: [UInt8]) throws(UnreadableInput) -> [Certificate] {
    // A certificate in DER starts with a sequence whose length takes two bytes.
    if bytes.starts(with: [0x30, 0x82]) { return [try certificate(bytes, number: 1)] }
    var anchors: [Certificate] = []
    var body: String?
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if line == begin {
        body = ""
      } else if line == end {
        let number = anchors.count + 1
        guard let text = body, let der = decode(text) else {
          throw UnreadableInput("Trust anchor \(number)", "is not PEM")
        }
        anchors.append(try certificate(der, number: number))
        body = nil
      } else {
        body?.append(contentsOf: line)
      }
    }
    guard body == nil, !anchors.isEmpty else {
      throw UnreadableInput("The trust anchors", "are no certificates in PEM, and none in DER")
    }
    return anchors
  }

  private static func certificate(_ der: [UInt8], number: Int) throws(UnreadableInput) -> Certificate {
    do throws(CryptoError) {
      return try Certificate(der: der)
    } catch {
      throw UnreadableInput("Trust anchor \(number)", "cannot be read: \(error)")
    }
  }

  /// PEM's base64 differs from base64url in two letters and the padding.
  private static func decode(_ text: String) -> [UInt8]? {
    var body = text.filter { !$0.isWhitespace }
    while body.last == "=" { body.removeLast() }
    return try? Base64URL.decode(String(body.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
  }
}
