import BridgeTestSupport
import CTAPHID
import Octets
import Testing
import Timing

/// One fault at each report position, in each direction, of a session with three requests: a repeatable one, one that
/// makes something on the key after a touch, and a short one that spends a try.
@Suite("One fault at each report")
struct FaultMatrixTests {
  /// What the key did: the only thing that a result is held against.
  final class Ledger {
    var made = 0
    var tries = 0
  }

  enum Outcome: Hashable, Sendable {
    case right
    case failed(CTAPHIDError)
    case wrong
  }

  struct Run: Sendable {
    let outcomes: [Outcome]
    let made: Int
    let tries: Int
    let longest: Duration
    let counts: [FaultTransport.Direction: Int]
    var isRight: Bool { outcomes == [.right, .right, .right, .right] }
  }

  static let own: UInt32 = {
    let device = KeyDevice(random: SeededRandom(seed: 8))
    let rig = DeviceRig()
    rig.device = device
    return rig.allocate([0, 0, 0, 0, 0, 0, 0, 0])
  }()

  static let info: [UInt8] = [4]
  static let make: [UInt8] = [1] + [UInt8](repeating: 0x5a, count: 149)
  static let token: [UInt8] = [6, 5]
  static let patience = Duration.seconds(15)

  /// An answer that shows which request it answers and whether it is whole.
  static func answer(to request: [UInt8], _ count: Int) -> [UInt8] {
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(request[0])) }
    return [0, request[0]] + body + [body.reduce(0, &+)]
  }

  static func isWhole(_ answer: [UInt8], to request: [UInt8], _ count: Int) -> Bool {
    answer == self.answer(to: request, count)
  }

  static func run(_ fault: Fault, _ direction: FaultTransport.Direction, _ position: Int) -> Run {
    let clock = ManualClock()
    let ledger = Ledger()
    let key = DeviceTransport(device: KeyDevice(random: SeededRandom(seed: 8)), clock: clock) { _, payload in
      switch payload {
      case info: return .answer(answer(to: info, 160))
      case make:
        ledger.made += 1
        return .answer(answer(to: make, 200), after: .milliseconds(250), status: .userPresenceNeeded)
      case token:
        ledger.tries += 1
        return .answer(answer(to: token, 20))
      default: return .answer([0x12])
      }
    }
    let transport = FaultTransport(key, clock: clock, fault: fault, direction: direction, position: position)
    let channel = HostChannel(transport: transport, clock: clock, random: SeededRandom(seed: 9))
    var outcomes: [Outcome] = []
    var longest = Duration.zero
    func attempt(_ body: (Wait) throws(CTAPHIDError) -> Bool) {
      let start = clock.now
      do throws(CTAPHIDError) {
        outcomes.append(try body(Wait(deadline: start + patience)) ? .right : .wrong)
      } catch {
        outcomes.append(.failed(error))
      }
      longest = max(longest, clock.now.since(start))
    }
    func exchange(_ request: [UInt8], _ count: Int, repeatable: Bool) {
      attempt { wait throws(CTAPHIDError) in
        let answer = try channel.exchange(.cbor, request, repeatable: repeatable, wait) { answer in
          answer.prefix(2) == [0, request[0]] || answer.count == 1 ? nil : "it answers another request"
        }
        return isWhole(answer, to: request, count) || answer == [0x12]
      }
    }
    attempt { wait throws(CTAPHIDError) in
      try channel.open(wait)
      return true
    }
    exchange(info, 160, repeatable: true)
    exchange(make, 200, repeatable: false)
    exchange(token, 20, repeatable: false)
    let counts: [FaultTransport.Direction: Int] = [
      .toKey: transport.count(.toKey), .fromKey: transport.count(.fromKey),
    ]
    return Run(outcomes: outcomes, made: ledger.made, tries: ledger.tries, longest: longest, counts: counts)
  }

  /// The number of reports in each direction where nothing goes wrong.
  static let plain = run(.none, .toKey, 0)

  /// Runs a fault at every position, and holds each run against what must never happen.
  static func sweep(
    _ fault: Fault, _ direction: FaultTransport.Direction, mustBeRight: Bool = false, mayAlter: Bool = false,
    mayDouble: Bool = false, repeatableRight: Bool = false
  ) {
    for position in 0..<(plain.counts[direction] ?? 0) {
      let run = run(fault, direction, position)
      let place: Comment = "\(fault) at \(position) \(direction): \(run.outcomes), made \(run.made)"
      let isRepeatable = position < (direction == .toKey ? 2 : 4)
      #expect(run.isRight || !(mustBeRight || repeatableRight && isRepeatable), place)
      #expect(mayAlter || !run.outcomes.contains(.wrong), place)
      #expect(run.made <= 1, place)
      #expect(run.tries <= (mayDouble ? 2 : 1), place)
      #expect(run.longest <= patience + Tuning.standard.longestOvertime, place)
      if run.outcomes.count > 2, case .failed(let error) = run.outcomes[2], run.made > 0 {
        #expect(error.mayHaveBeenTaken, place)
      }
      if case .failed(let error)? = run.outcomes.last, run.tries > 0, !mayDouble {
        #expect(error.mayHaveBeenTaken, place)
      }
    }
  }

  @Test("nothing goes wrong where there is no fault")
  func none() {
    #expect(Self.plain.isRight)
    #expect(Self.plain.made == 1 && Self.plain.tries == 1)
    #expect(Self.plain.counts == [.toKey: 6, .fromKey: 12])
  }

  @Test("one foreign report, one stale INIT, one repetition by the key, one BUSY: the right result, every time")
  func mustBeRight() {
    let foreign: [[[UInt8]]] = [
      [Wire.initial(0x10, [0, 1, 2], on: Wire.foreign)], [Wire.continuation(0, [1], on: Wire.foreign)],
      [Wire.keepAlive(2, on: Wire.foreign)], [Wire.error(6, on: Wire.foreign)],
      Wire.message(0x10, [UInt8](repeating: 3, count: 300), on: Wire.foreign),
      [Wire.initReply([7, 7, 7, 7, 7, 7, 7, 7], handing: Wire.foreign)],
      [Wire.initReply([7, 7, 7, 7, 7, 7, 7, 7], on: Self.own, handing: Self.own)],
      [Wire.initReply([7, 7, 7, 7, 7, 7, 7, 7], on: Wire.foreign, handing: Wire.foreign)],
      [Wire.error(6, on: Wire.broadcast)], [Wire.error(6, on: Self.own)], [Wire.keepAlive(77, on: Self.own)],
    ]
    for reports in foreign { Self.sweep(.preceded(reports), .fromKey, mustBeRight: true) }
    Self.sweep(.duplicated, .fromKey, mustBeRight: true)
    // Another program's reports reach the key between ours.
    Self.sweep(.preceded([Wire.initRequest([6, 6, 6, 6, 6, 6, 6, 6])]), .toKey, mustBeRight: true)
  }

  @Test("stale answers, answers to cancelled requests and every ERROR frame put between the key's reports")
  func inserted() {
    for report in [Wire.initial(0x10, [0, 99], on: Self.own), Wire.initial(0x10, [0x2d], on: Self.own)] {
      Self.sweep(.preceded([report]), .fromKey, mustBeRight: true)
    }
    for code: UInt8 in [1, 2, 3, 4, 5, 6, 0x0a, 0x0b, 0x7f, 0x55] {
      Self.sweep(.preceded([Wire.error(code, on: Self.own)]), .fromKey, mustBeRight: true)
    }
    Self.sweep(.preceded([Wire.continuation(90, [1], on: Self.own)]), .fromKey, mustBeRight: true)
    for sequence: UInt8 in 0...3 {
      Self.sweep(.preceded([Wire.continuation(sequence, [1], on: Self.own)]), .fromKey, mayAlter: true)
    }
  }

  @Test("ERROR frames in the place of the key's reports")
  func replaced() {
    for code: UInt8 in [1, 2, 3, 4, 5, 6, 0x0a, 0x0b, 0x7f, 0x55] {
      // A short answer that turns into the key's own word that the request was not taken is believed.
      Self.sweep(.replaced(Wire.error(code, on: Self.own)), .fromKey, mayDouble: true)
    }
  }

  @Test("losses", arguments: [FaultTransport.Direction.toKey, .fromKey])
  func losses(direction: FaultTransport.Direction) {
    for fault: Fault in [
      .dropped, .delayed(.milliseconds(300)), .delayed(.seconds(3)), .delayed(.seconds(40)), .truncated(to: 0),
      .truncated(to: 3), .truncated(to: 10), .truncated(to: 63), .otherChannel,
    ] {
      // What may be sent again makes good any loss.
      Self.sweep(fault, direction, repeatableRight: true)
    }
    for fault: Fault in [.silentFromHere, .unplugged] { Self.sweep(fault, direction) }
  }

  @Test("wrong sequence numbers and lengths", arguments: [FaultTransport.Direction.toKey, .fromKey])
  func fields(direction: FaultTransport.Direction) {
    for number: UInt8 in [0, 1, 2, 5, 127] { Self.sweep(.sequence(number), direction, repeatableRight: true) }
    for length in [0, 7609, 7610, 65535] { Self.sweep(.length(length), direction, repeatableRight: true) }
  }

  @Test("repeated reports to the key")
  func duplicatedToKey() {
    Self.sweep(.duplicated, .toKey, mayDouble: true)
  }

  @Test("reports of our own channel that are put between ours", arguments: [0x06, 0x10, 0x11, 0x01])
  func insertedToKey(command: Int) {
    let report = Wire.initial(UInt8(command), [6, 6, 6, 6, 6, 6, 6, 6], on: Self.own)
    Self.sweep(.preceded([report]), .toKey, mayDouble: true)
    Self.sweep(.preceded([Wire.continuation(0, [1], on: Self.own)]), .toKey)
  }

  @Test("a flipped bit in every header", arguments: 0...6, [FaultTransport.Direction.toKey, .fromKey])
  func headerBits(byte: Int, direction: FaultTransport.Direction) {
    for bit in 0..<8 {
      Self.sweep(.flipped(byte: byte, bit: bit), direction, mayAlter: true, repeatableRight: byte < 5)
    }
  }
}
