public import CTAPHID
internal import CTAPMessages

extension KeySession {
  /// Makes the key forget its credentials and its PIN; only in the first seconds after it was plugged in, and with a
  /// touch (CTAP 2.2 §6.6). Sent once and never again.
  ///
  /// - Throws: `status(.notAllowed)` where the key has had its power for too long; `changeUncertain` where the answer
  ///   was lost.
  public func reset(_ wait: Wait) throws(CTAP2Error) {
    try change(.reset, .reset, nil, wait) { value throws(Unfit) in try Unfit.empty(value) }
  }

  /// The most bytes that a ping can carry; 7609 with reports of 64 bytes.
  public var pingLimit: Int { channel.requestLimit }

  /// Has the key send bytes back, which shows that it is there.
  public func ping(_ payload: [UInt8], _ wait: Wait) throws(CTAP2Error) {
    do throws(CTAPHIDError) {
      try channel.ping(payload, wait)
    } catch {
      throw .hid(error)
    }
  }

  /// Makes the key show itself, mostly by a blink, where it can.
  public func wink(_ wait: Wait) throws(CTAP2Error) {
    guard capabilities.contains(.wink) else { throw .notOffered("a wink") }
    do throws(CTAPHIDError) {
      try channel.wink(wait)
    } catch {
      throw .hid(error)
    }
  }
}
