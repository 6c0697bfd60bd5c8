internal import CTAPHID
internal import CTAPMessages
internal import Timing

/// Which form of request a key takes; learnt from its answers.
///
/// HID asks for lengths of two bytes (FIDO U2F HID 1.2 §2.4), and some keys answer 6700 to that and take lengths of one.
/// A key that has taken a request with data in one form is not offered the other: 6700 then means something else.
struct U2FForm {
  var isShort = false
  var isProved = false
}

/// What came of a U2F request.
enum U2FOutcome<Answer> {
  case answer(Answer)
  /// Any status but success.
  case status(U2FStatus)
}

extension KeySession {
  /// The time from one request to the next while a touch is awaited (FIDO U2F Raw Message Formats 1.2 §3.3: the
  /// status 6985 asks for a repetition); other hosts take 100 to 250 milliseconds.
  static let u2fPace = Duration.milliseconds(250)

  /// Sends a U2F request once and returns the first answer that `read` takes.
  ///
  /// - Parameters:
  ///   - frame: the request.
  ///   - repeatable: whether carrying it out twice does no harm.
  ///   - wait: how long it may take.
  ///   - read: turns the data of a success into its value, or says why it is the answer to something else.
  func u2f<Answer>(
    _ frame: U2FCommandFrame, repeatable: Bool, _ wait: Wait, _ read: @escaping ([UInt8]) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> U2FOutcome<Answer> {
    var form = u2fForm
    while true {
      let short = form.isShort ? frame.encodedShort() : nil
      let outcome = try send(short ?? frame.encoded(), frame.ins, repeatable: repeatable, wait, read)
      if case .status(.wrongLength) = outcome {
        guard !form.isProved, !form.isShort, frame.encodedShort() != nil else { return outcome }
        form.isShort = true
        continue
      }
      // What has no data shows nothing about the length of data.
      if !frame.data.isEmpty { form.isProved = true }
      u2fForm = form
      return outcome
    }
  }

  /// Sends a U2F request again and again until the key has been touched.
  ///
  /// The person is told once that a touch is needed. The wait ends at its deadline or with its cancellation between
  /// two requests; U2F has no way to cancel one.
  func u2fUntilTouched<Answer>(
    _ frame: U2FCommandFrame, repeatable: Bool, _ wait: Wait, _ read: @escaping ([UInt8]) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    var isAnnounced = false
    while true {
      let next = clock.now + Self.u2fPace
      switch try u2f(frame, repeatable: repeatable, wait, read) {
      case .answer(let answer): return answer
      case .status(.conditionsNotSatisfied):
        if !isAnnounced { wait.onKeepAlive(.userPresenceNeeded) }
        isAnnounced = true
        try rest(until: next, wait)
      case .status(let status): throw .u2f(status, instruction: frame.ins)
      }
    }
  }

  private func rest(until end: Instant, _ wait: Wait) throws(CTAP2Error) {
    while true {
      let now = clock.now
      if wait.cancellation.isCancelled { throw .hid(.cancelled(mayHaveBeenTaken: false)) }
      if now >= wait.deadline { throw .hid(.timeout(.userPresence, mayHaveBeenTaken: false)) }
      if now >= end { return }
      clock.sleep(until: min(end, wait.deadline, now + .milliseconds(10)))
    }
  }

  private func send<Answer>(
    _ request: [UInt8], _ instruction: UInt8, repeatable: Bool, _ wait: Wait,
    _ read: @escaping ([UInt8]) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> U2FOutcome<Answer> {
    var outcome: U2FOutcome<Answer>?
    do throws(CTAPHIDError) {
      _ = try channel.exchange(.msg, request, repeatable: repeatable, wait) { bytes in
        do throws(Unfit) {
          let frame = try Unfit.u2fFrame(bytes)
          outcome = frame.status == .noError ? .answer(try read(frame.data)) : .status(frame.status)
          return nil
        } catch {
          return AnswerRefusal(error.reason)
        }
      }
    } catch {
      switch error {
      case .answerRefused(let refusal, _): throw .u2fMisfit(refusal.reason, instruction: instruction)
      case .errorFrame(.invalidCommand, mayHaveBeenTaken: false): throw .notOffered("U2F")
      default: throw .hid(error)
      }
    }
    guard let outcome else { throw .u2fMisfit("it was not looked at", instruction: instruction) }
    return outcome
  }
}

extension Unfit {
  /// Takes a U2F answer apart.
  ///
  /// A failure has no data. One with data is a success whose status was damaged on the way, and believing it could hide
  /// a credential.
  static func u2fFrame(_ bytes: [UInt8]) throws(Unfit) -> U2FResponseFrame {
    do throws(MessageError) {
      let frame = try U2FResponseFrame(padded: bytes)
      if frame.status == .noError || frame.data.isEmpty { return frame }
      throw MessageError(message: "U2F response", problem: .trailingBytes(frame.data.count))
    } catch {
      throw Unfit("\(error)")
    }
  }

  /// Reads the data of a U2F answer; what can't be read does not fit.
  static func u2f<Value>(_ read: () throws(MessageError) -> Value) throws(Unfit) -> Value {
    do throws(MessageError) {
      return try read()
    } catch {
      throw Unfit("\(error)")
    }
  }
}
