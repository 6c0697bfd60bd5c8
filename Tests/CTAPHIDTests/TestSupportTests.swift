import BridgeTestSupport
import CTAPHID
import JSONText
import Octets
import Testing
import Timing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Time")
struct TimingTests {
  @Test("moments are added to and compared, and stop at both ends")
  func arithmetic() {
    let moment = Instant(nanoseconds: 5_000_000_000)
    #expect(moment + .milliseconds(1500) == Instant(nanoseconds: 6_500_000_000))
    #expect(moment + .seconds(-2) == Instant(nanoseconds: 3_000_000_000))
    #expect(moment + .seconds(-6) == Instant(nanoseconds: 0))
    #expect(moment + .seconds(Int64.max) == .distantFuture)
    #expect(moment + .seconds(Int64.min) == Instant(nanoseconds: 0))
    #expect(Instant.distantFuture + .nanoseconds(1) == .distantFuture)
    #expect(moment < .distantFuture)
    #expect(Instant(nanoseconds: 7_000_000_001).since(moment) == .nanoseconds(2_000_000_001))
    #expect(moment.since(.distantFuture) == .zero)
  }

  @Test("the system's clock goes on, and sleeps until a moment")
  func systemClock() {
    let clock = SystemClock()
    let start = clock.now
    clock.sleep(until: start + .milliseconds(5))
    #expect(clock.now.since(start) >= .milliseconds(5))
    clock.sleep(until: start)
  }

  @Test("a cancellation is for ever")
  func cancellation() {
    let cancellation = Cancellation()
    #expect(!cancellation.isCancelled)
    cancellation.cancel()
    cancellation.cancel()
    #expect(cancellation.isCancelled)
  }

  @Test("the manual clock moves when it is told to, and never back")
  func manualClock() {
    let clock = ManualClock(Instant(nanoseconds: 100))
    #expect(clock.now == Instant(nanoseconds: 100))
    clock.advance(by: .nanoseconds(20))
    clock.sleep(until: Instant(nanoseconds: 130))
    clock.sleep(until: Instant(nanoseconds: 90))
    clock.advance(by: .nanoseconds(-50))
    #expect(clock.now == Instant(nanoseconds: 130))
  }
}

@Suite("Test support")
struct TestSupportTests {
  @Test("seeded bytes are the same for the same seed, and others for another")
  func seeded() {
    #expect(SeededRandom(seed: 1).bytes(20) == SeededRandom(seed: 1).bytes(20))
    #expect(SeededRandom(seed: 1).bytes(20) != SeededRandom(seed: 2).bytes(20))
    #expect(SeededRandom(seed: 1).bytes(-1).isEmpty)
    let random = SeededRandom()
    #expect(random.bytes(8) != random.bytes(8))
  }

  @Test("SplitMix64 gives the numbers of the reference implementation (Vigna's splitmix64.c, seed 1234567)")
  func splitMix() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
  }

  @Test("a wrong report, one too many, and a script that is left over are issues")
  func scriptedIssues() throws {
    let clock = ManualClock()
    let one = Wire.padded([1])
    for (steps, writes): ([ScriptedTransport.Step], [[UInt8]]) in [
      ([.expect(one)], [Wire.padded([2])]),
      ([], [one]),
      ([.send(one)], [one]),
      ([.expect(one)], []),
      ([.examine { _ in nil }], [one]),
      ([.failRead(.unplugged)], []),
      ([.failWrite(.unplugged)], []),
      ([.act {}], []),
      ([.examine { _ in [] }], []),
    ] {
      withKnownIssue {
        let transport = ScriptedTransport(steps, clock: clock)
        try transport.open(deadline: clock.now, cancellation: Cancellation())
        for report in writes { try transport.write(report) }
        #expect(transport.isFinished || !steps.isEmpty)
      }
    }
  }

  @Test("a script is read at its own pace, and nothing before the transport is open")
  func scriptedPace() throws {
    let clock = ManualClock()
    let start = clock.now
    let transport = ScriptedTransport(
      [.send([1], after: .milliseconds(50)), .act(after: .milliseconds(5)) {}, .send([2])], clock: clock)
    #expect(throws: TransportError.closed) { try transport.read(deadline: clock.now) }
    #expect(throws: TransportError.closed) { try transport.write([]) }
    try transport.open(deadline: clock.now, cancellation: Cancellation())
    #expect(try transport.read(deadline: start) == nil)
    #expect(try transport.read(deadline: start + .milliseconds(20)) == nil)
    #expect(clock.now == start + .milliseconds(20))
    #expect(try transport.read(deadline: start + .milliseconds(90)) == [1])
    #expect(clock.now == start + .milliseconds(50))
    #expect(try transport.read(deadline: start + .milliseconds(90)) == [2])
    #expect(clock.now == start + .milliseconds(55))
    #expect(try transport.read(deadline: start + .milliseconds(90)) == nil)
    #expect(clock.now == start + .milliseconds(90))
  }

  @Test("a recording has every report with its direction and moment")
  func recording() throws {
    let clock = ManualClock()
    let start = clock.now
    let script = ScriptedTransport([.expect([1]), .send([2], after: .milliseconds(7))], clock: clock)
    let recording = RecordingTransport(script, clock: clock)
    try recording.open(deadline: clock.now, cancellation: Cancellation())
    #expect(recording.reportSizes == .standard)
    try recording.write([1])
    #expect(try recording.read(deadline: start + .seconds(1)) == [2])
    #expect(try recording.read(deadline: start + .seconds(1)) == nil)
    recording.close()
    #expect(!script.isOpen)
    #expect(recording.written == [[1]])
    #expect(
      recording.entries == [
        .init(direction: .toKey, moment: start, report: [1]),
        .init(direction: .fromKey, moment: start + .milliseconds(7), report: [2]),
      ])
  }

  @Test("vector files are read whole, and what is wrong with them is said")
  func vectorFiles() throws {
    let path = "/tmp/ctaphid-vectors-\(getpid()).json"
    try #require(fopen(path, "wb").map { file in fputs("{\"a\":[1]}", file) >= 0 && fclose(file) == 0 } == true)
    defer { unlink(path) }
    #expect(try VectorFile.bytes(at: path) == Array("{\"a\":[1]}".utf8))
    #expect(try VectorFile.json(at: path)["a"]?.elements?.first?.integerValue == 1)
    #expect(throws: VectorFileError.self) { try VectorFile.bytes(at: path + ".missing") }
    #expect(throws: VectorFileError.self) { try VectorFile.json(at: "/dev/null") }
  }
}

@Suite("Errors")
struct CTAPHIDErrorTests {
  @Test("each error knows whether the request may have been carried out", arguments: [true, false])
  func taken(taken: Bool) {
    let errors: [CTAPHIDError] = [
      .transport(.unplugged, mayHaveBeenTaken: taken), .errorFrame(.other, mayHaveBeenTaken: taken),
      .timeout(.answer, mayHaveBeenTaken: taken), .cancelled(mayHaveBeenTaken: taken),
      .silent(after: .seconds(1), mayHaveBeenTaken: taken), .malformed(.interrupted, mayHaveBeenTaken: taken),
    ]
    for error in errors { #expect(error.mayHaveBeenTaken == taken) }
    #expect(CTAPHIDError.answerRefused("x", answer: []).mayHaveBeenTaken)
    #expect(!CTAPHIDError.notOpen.mayHaveBeenTaken)
    #expect(!CTAPHIDError.messageTooLong(size: 1, limit: 0).mayHaveBeenTaken)
  }
}

@Suite("The words of errors")
struct ErrorWordsTests {
  @Test(
    "what is broken in a message is said with its numbers",
    arguments: [
      (.reportSize(found: 3, expected: 64), "a report of 3 bytes instead of 64"),
      (.tooLong(length: 7610, limit: 7609), "a message of 7610 bytes where at most 7609 fit"),
      (.tooShort(length: 0, minimum: 1), "a message of 0 bytes where at least 1 are needed"),
      (.command(found: .msg, expected: .cbor), "a message for MSG instead of CBOR"),
      (.interrupted, "a new message in the middle of another"),
      (.sequence(found: 2, expected: 1), "report 2 of a message instead of report 1"),
      (.conflict(sequence: 4), "two different reports with the number 4"),
      (.stray(sequence: 5), "report 5 of a message that has no beginning"),
      (.incomplete(received: 57, length: 100), "only 57 of a message's 100 bytes"),
      (.channel(.reserved), "an offer of the channel 00000000, which cannot be used"),
    ] as [(Malformation, String)])
  func malformation(what: Malformation, words: String) {
    #expect("\(what)" == words)
  }

  @Test(
    "what is wrong with a transport is said",
    arguments: [
      (.notFound("/dev/x"), "there is no key /dev/x"), (.permissionDenied("/dev/x"), "this user may not open /dev/x"),
      (.busy("/dev/x"), "another program is using /dev/x"), (.unplugged, "the key was pulled out"),
      (.cancelled, "the wait was cancelled"), (.closed, "the key is not open"), (.unsuitable("too small"), "too small"),
      (.failed(operation: "read", code: 5, message: "I/O error"), "read failed: I/O error (5)"),
    ] as [(TransportError, String)])
  func transport(error: TransportError, words: String) {
    #expect("\(error)" == words)
  }

  @Test("a refusal is its reason")
  func refusal() {
    #expect("\(AnswerRefusal("stale"))" == "stale")
    #expect(AnswerRefusal("stale") == "stale")
  }
}
