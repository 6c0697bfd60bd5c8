import COpenSSL

/// OpenSSL's error queue, which belongs to the thread and outlives the call that filled it.
///
/// It is cleared before an operation, so that an older failure is not reported as this one's, and read to its
/// end after a failure, so that it does not leak into the next.
enum ErrorQueue {
  static func clear() { ERR_clear_error() }

  /// Empties the queue and returns the reasons, oldest first.
  static func drain() -> [String] {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      if code == 0 { return reasons }
      if let reason = ERR_reason_error_string(code) {
        reasons.append(String(cString: reason))
      } else {
        reasons.append("error \(code)")
      }
    }
  }

  static func failure(_ operation: String) -> CryptoError {
    .openSSL(operation: operation, reasons: drain())
  }

  /// A sentence part: what was being done, then OpenSSL's reasons.
  static func explain(_ what: String) -> String {
    let reasons = drain()
    return reasons.isEmpty ? what : what + " (" + reasons.joined(separator: "; ") + ")"
  }

  /// Throws unless `status` is OpenSSL's 1 for success.
  static func check(_ status: Int32, _ operation: String) throws(CryptoError) {
    guard status == 1 else { throw failure(operation) }
  }
}
