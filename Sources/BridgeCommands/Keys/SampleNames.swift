import CTAPMessages
import VirtualKey
import WebAuthnClient

/// The words on the command line for what a fingerprint sensor says of a sample.
enum SampleNames {
  private static let statuses: KeyValuePairs<String, EnrollSampleStatus> = [
    "good": .good, "too-high": .tooHigh, "too-low": .tooLow, "too-left": .tooLeft, "too-right": .tooRight,
    "too-fast": .tooFast, "too-slow": .tooSlow, "poor-quality": .poorQuality, "too-skewed": .tooSkewed,
    "too-short": .tooShort, "merge-failure": .mergeFailure, "exists": .exists,
    "no-user-presence-transition": .noUserPresenceTransition,
  ]

  /// Reads words with commas between them.
  static func policy(_ text: String, command: String) throws(UsageError) -> FingerprintPolicy {
    var samples: [EnrollSampleStatus] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let status = statuses.first(where: { $0.key == word })?.value else {
        let names = statuses.map(\.key).joined(separator: ", ")
        throw UsageError(
          "--fingerprints is a list of \(names), not \(PlainText.quoted(String(word))).", command: command)
      }
      samples.append(status)
    }
    // No enrolment would ever end.
    guard samples.contains(.good) else {
      throw UsageError("--fingerprints needs good among its samples.", command: command)
    }
    return FingerprintPolicy(samples: samples)
  }
}
