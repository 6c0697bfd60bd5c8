/// How good a fingerprint sample was (CTAP 2.3 §6.7.4); other numbers are kept.
public struct EnrollSampleStatus: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int

  /// Creates a status from a number, known or not.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The sample is good.
  public static let good = EnrollSampleStatus(rawValue: 0x00)
  /// The finger was too high.
  public static let tooHigh = EnrollSampleStatus(rawValue: 0x01)
  /// The finger was too low.
  public static let tooLow = EnrollSampleStatus(rawValue: 0x02)
  /// The finger was too far left.
  public static let tooLeft = EnrollSampleStatus(rawValue: 0x03)
  /// The finger was too far right.
  public static let tooRight = EnrollSampleStatus(rawValue: 0x04)
  /// The finger moved too fast.
  public static let tooFast = EnrollSampleStatus(rawValue: 0x05)
  /// The finger moved too slowly.
  public static let tooSlow = EnrollSampleStatus(rawValue: 0x06)
  /// The sample is of poor quality.
  public static let poorQuality = EnrollSampleStatus(rawValue: 0x07)
  /// The finger was askew.
  public static let tooSkewed = EnrollSampleStatus(rawValue: 0x08)
  /// The finger was lifted too early.
  public static let tooShort = EnrollSampleStatus(rawValue: 0x09)
  /// The sample does not fit those before it.
  public static let mergeFailure = EnrollSampleStatus(rawValue: 0x0a)
  /// The fingerprint is enrolled already.
  public static let exists = EnrollSampleStatus(rawValue: 0x0b)
  /// No room for another fingerprint (drafts of CTAP 2.1).
  public static let databaseFull = EnrollSampleStatus(rawValue: 0x0c)
  /// Nobody touched the sensor.
  public static let noUserActivity = EnrollSampleStatus(rawValue: 0x0d)
  /// The finger was not lifted.
  public static let noUserPresenceTransition = EnrollSampleStatus(rawValue: 0x0e)

  /// A sentence for people: what to do with the next sample.
  public var explanation: String {
    Self.explanations[rawValue] ?? "The sample was not accepted (feedback \(rawValue)). Try again."
  }

  private static let explanations: [Int: String] = [
    0x00: "The sample is good.",
    0x01: "The finger was too high. Try again a little lower.",
    0x02: "The finger was too low. Try again a little higher.",
    0x03: "The finger was too far left. Try again a little further right.",
    0x04: "The finger was too far right. Try again a little further left.",
    0x05: "The finger moved too fast. Try again more slowly.",
    0x06: "The finger moved too slowly. Try again a little faster.",
    0x07: "The sample is of poor quality. Clean the sensor and your finger, and try again.",
    0x08: "The finger was askew. Try again with the finger straight.",
    0x09: "The finger was lifted too early. Try again and leave it on the sensor a little longer.",
    0x0a: "The sample does not fit the ones before it. Try again with the same finger.",
    0x0b: "This fingerprint is enrolled already. Use another finger.",
    0x0c: "The key has no room for another fingerprint. Remove one first.",
    0x0d: "Nobody touched the sensor. Try again.",
    0x0e: "Lift the finger before you touch the sensor again.",
  ]
}
