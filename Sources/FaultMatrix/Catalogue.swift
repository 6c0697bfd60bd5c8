internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import Octets

/// Every fault that can happen at the reports of one undisturbed run.
struct Catalogue {
  /// A report, and what goes on around it.
  struct Place {
    let direction: Direction
    let position: Int
    let report: [UInt8]
    let packet: Packet
    /// The host's channel at that moment, which before the key has handed one out is the broadcast channel.
    let channel: ChannelID
    /// How many bytes of the report belong to the message, with its header.
    let used: Int
  }

  let places: [Place]
  /// The channel that the key hands out.
  let channel: ChannelID
  /// How many bits of each report are turned, each in a run of its own.
  let bits: Int

  /// The channel of another program.
  static let foreign = ChannelID(rawValue: 0x5eed_f00d)

  init(_ trace: [TraceEntry], bits: Int) {
    self.bits = bits
    var places: [Place] = []
    var counts: [Direction: Int] = [:]
    var left: [Direction: Int] = [:]
    var channel = ChannelID.broadcast
    for entry in trace {
      guard let packet = Packet(report: entry.report) else { continue }
      let direction = entry.direction
      let used: Int
      switch packet {
      case .initial(_, _, let length, let data):
        left[direction] = length - min(length, data.count)
        used = entry.report.count - data.count + min(length, data.count)
      case .continuation(_, _, let data):
        let count = min(left[direction] ?? 0, data.count)
        left[direction]? -= count
        used = entry.report.count - data.count + count
      }
      if packet.channel != .broadcast { channel = packet.channel }
      places.append(
        Place(
          direction: direction, position: counts[direction] ?? 0, report: entry.report, packet: packet,
          channel: packet.channel, used: used))
      counts[direction, default: 0] += 1
    }
    self.places = places
    self.channel = channel
  }

  /// All of them.
  var faults: [LineFault] {
    leftovers + places.flatMap { place in common(place) + directed(place) + flips(place) }
  }

  // MARK: What happens in both directions

  private func common(_ place: Place) -> [LineFault] {
    var faults = [
      fault(place, .dropped, .drop),
      fault(place, place.direction == .toKey ? .duplicatedToKey : .duplicatedFromKey, .duplicate),
      fault(place, .delayed, .delay),
      fault(place, .silence, .silence(for: .infinite), "for ever"),
      fault(place, .silence, .silence(for: .seconds(7)), "for 7 s"),
      fault(place, .unplugged, .unplug(after: false), "before"),
      fault(place, .unplugged, .unplug(after: true), "after"),
      fault(place, .foreignInit, .foreign(.initialise), "a program's"),
      fault(place, .foreignTraffic, .foreign(.transaction), "a program's transaction"),
      fault(place, .keepAlivesForEver, .keepAlives(1), "processing"),
      fault(place, .keepAlivesForEver, .keepAlives(2), "touch"),
    ]
    for start in [5, 7, 8, 20, 40] {
      faults.append(fault(place, .truncated, .blank(from: start), "zeros from \(start)"))
    }
    for channel in [ChannelID(rawValue: place.channel.rawValue ^ 1), Self.foreign, .broadcast, .reserved]
    where channel != place.channel {
      faults.append(fault(place, .wrongChannel, .move(to: channel), "\(channel)"))
    }
    switch place.packet {
    case .initial(_, _, let length, _):
      for wrong: UInt16 in [0, 1, 7609, 7610, 65535] where Int(wrong) != length {
        faults.append(fault(place, .wrongLength, .resize(wrong), "\(wrong)"))
      }
    case .continuation(_, let sequence, _):
      for wrong in Set([0, sequence &+ 1, sequence &- 1, 127]).sorted() where wrong < 128 && wrong != sequence {
        faults.append(fault(place, .wrongSequence, .renumber(wrong), "\(wrong)"))
      }
    }
    return faults
  }

  /// Every bit of a report's header and of a status; bits of the rest that means something, spread over its bytes; and
  /// one of the padding.
  private func flips(_ place: Place) -> [LineFault] {
    let count = place.used * 8
    let number = min(bits, count)
    var chosen = (0..<number).map { index in
      // A stride that is odd and no divisor walks over all bits of a byte.
      number == count ? index : (index * count / number + (index * 5 + place.position * 3) % 8) % count
    }
    let header = if case .initial = place.packet { 4..<8 } else { 4..<5 }
    chosen += header.flatMap { byte in (0..<8).map { byte * 8 + $0 } }
    if place.used < place.report.count { chosen.append(place.report.count * 8 - 3) }
    return Set(chosen).sorted().map { bit in fault(place, .flipped, .flip(bit: bit), "byte \(bit / 8) bit \(bit % 8)") }
  }

  // MARK: What happens in one direction

  private func directed(_ place: Place) -> [LineFault] {
    place.direction == .toKey ? toKey(place) : fromKey(place)
  }

  private func toKey(_ place: Place) -> [LineFault] {
    var faults = ErrorCodes.all.map { code in
      fault(place, .errorFrame, .refuse(code, for: .zero), "\(code) in reply")
    }
    if case .initial(_, .cancel, _, _) = place.packet {
      // CANCEL has no answer, and a key that works for us is not busy for others.
    } else {
      faults += [
        fault(place, .busyOnce, .refuse(.channelBusy, for: .zero), "in reply"),
        fault(place, .busyAWhile, .refuse(.channelBusy, for: .seconds(2))),
        fault(place, .busyForEver, .refuse(.channelBusy, for: .infinite)),
      ]
    }
    faults += [
      fault(place, .initialInside, .insertFirst, "its own first"),
      insert(place, .initialInside, message(place.channel, .cbor, [0x04]), "getInfo"),
      insert(place, .initialInside, message(place.channel, .initialise, Self.staleNonce), "INIT"),
      insert(place, .strayContinuation, [continuation(place.channel, 0)], "0"),
      insert(place, .strayContinuation, [continuation(place.channel, 77)], "77"),
    ]
    return faults
  }

  private func fromKey(_ place: Place) -> [LineFault] {
    var faults: [LineFault] = []
    for count in [0, 3, 5, 7, 20, 63] {
      faults.append(fault(place, .truncated, .shorten(to: count), "to \(count) bytes"))
    }
    for code in ErrorCodes.all {
      let frame = [UInt8].error(code, on: place.channel)
      faults.append(insert(place, .errorFrame, [frame], "\(code) before"))
      faults.append(fault(place, .errorFrame, .replace([frame]), "\(code) in its place"))
    }
    faults.append(insert(place, .busyOnce, [.error(.channelBusy, on: place.channel)], "before"))
    for status: UInt8 in [0, 3, 255] {
      faults.append(insert(place, .unknownKeepAlive, [.keepAlive(status, on: place.channel)], "\(status)"))
    }
    faults += [
      fault(place, .initialInside, .insertFirst, "its own first"),
      insert(place, .initialInside, [Array(message(place.channel, .cbor, Self.garbage)[0])], "another message's"),
      insert(place, .strayContinuation, [continuation(place.channel, 0)], "0"),
      insert(place, .strayContinuation, [continuation(place.channel, 77)], "77"),
      insert(place, .foreignInit, [initReply(.broadcast, Self.foreignNonce)], "a reply"),
      insert(place, .foreignTraffic, [message(Self.foreign, .cbor, Self.garbage)[0]], "one report"),
      insert(place, .foreignTraffic, message(Self.foreign, .cbor, Self.garbage), "an answer"),
      insert(place, .foreignTraffic, [.keepAlive(2, on: Self.foreign)], "a keep-alive"),
      insert(place, .foreignTraffic, [.error(.channelBusy, on: Self.foreign)], "BUSY"),
      insert(place, .staleInit, [initReply(.broadcast, Self.staleNonce)], "on broadcast"),
      insert(place, .staleInit, [initReply(place.channel, Self.staleNonce)], "on our channel"),
      insert(place, .cancelledAnswer, message(place.channel, .cbor, [0x2d]), "status"),
    ]
    if case .initial = place.packet {
      for (name, payload) in Self.misplaced {
        faults.append(insert(place, .misplacedAnswer, message(place.channel, .cbor, payload), name))
      }
    }
    return faults
  }

  /// What an earlier program left in the queue: it is there before the host opens the key.
  private var leftovers: [LineFault] {
    func left(_ group: FaultGroup, _ reports: [[UInt8]], _ detail: String) -> LineFault {
      LineFault(group: group, direction: .fromKey, position: -1, action: .insert(reports), detail: detail)
    }
    let answer = message(channel, .cbor, Self.garbage)
    return [
      left(.staleInit, [initReply(.broadcast, Self.staleNonce)], "one"),
      left(.staleInit, (0..<40).map { number in initReply(.broadcast, Self.staleNonce.map { $0 ^ number }) }, "forty"),
      left(.staleInit, [initReply(channel, Self.staleNonce)], "on our channel"),
      left(.staleReply, answer, "an answer on our channel"),
      left(.staleReply, Array(answer.prefix(2)), "half an answer on our channel"),
      left(.staleReply, Array(answer.dropFirst()), "the rest of an answer on our channel"),
      left(.staleReply, message(Self.foreign, .cbor, Self.garbage), "an answer on another channel"),
      left(.staleReply, [.error(.channelBusy, on: .broadcast)], "BUSY on broadcast"),
      left(.staleReply, [.error(.invalidSequence, on: channel)], "an ERROR on our channel"),
      left(.staleReply, [.keepAlive(2, on: channel)], "a keep-alive on our channel"),
      left(.cancelledAnswer, message(channel, .cbor, [0x2d]), "left behind"),
    ]
  }

  // MARK: Parts

  static let foreignNonce: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  static let staleNonce: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]
  /// An answer of several reports that means nothing.
  static let garbage = [UInt8](repeating: 0xa5, count: 200)

  /// Answers that mean something, to requests that were not sent now.
  static let misplaced: [(name: String, payload: [UInt8])] = [
    ("an empty success", [0x00]), ("an empty map", [0x00, 0xa0]), ("nonsense", garbage),
    ("PIN retries", [0x00, 0xa1, 0x03, 0x08]),
    ("NO_CREDENTIALS", [0x2e]), ("OPERATION_DENIED", [0x27]), ("PUAT_REQUIRED", [0x36]), ("PIN_AUTH_INVALID", [0x33]),
    ("KEY_STORE_FULL", [0x28]), ("CHANNEL_BUSY", [0x06]), ("INVALID_COMMAND", [0x01]), ("UV_INVALID", [0x3f]),
    ("REQUEST_TOO_LARGE", [0x39]), ("PIN_INVALID", [0x31]), ("USER_ACTION_TIMEOUT", [0x2f]),
    ("another credential's assertion", foreignAssertion),
  ]

  /// What a key answers that signs for the right site with a credential that nobody knows.
  private static let foreignAssertion: [UInt8] = {
    let data = try? AuthenticatorData(
      rpIDHash: Digest.sha256(Array(Wishes.rpID.utf8)), flags: [.userPresent, .userVerified], signCount: 7)
    return data.map { data in
      CTAPResponse.encode(
        GetAssertionResponse(
          credential: CredentialDescriptor(id: [UInt8](repeating: 0x33, count: 32)), authData: data,
          signature: [UInt8](repeating: 0x5a, count: 70), user: UserEntity(id: [99], name: "mallory")))
    } ?? []
  }()

  private func fault(_ place: Place, _ group: FaultGroup, _ action: LineFault.Action, _ detail: String = "")
    -> LineFault
  {
    var isInitial = false
    if case .initial = place.packet { isInitial = true }
    return LineFault(
      group: group, direction: place.direction, position: place.position, isInitial: isInitial, action: action,
      detail: detail)
  }

  private func insert(_ place: Place, _ group: FaultGroup, _ reports: [[UInt8]], _ detail: String) -> LineFault {
    fault(place, group, .insert(reports), detail)
  }

  private func message(_ channel: ChannelID, _ command: CTAPHIDCommand, _ payload: [UInt8]) -> [[UInt8]] {
    Packet.reports(channel: channel, command: command, payload: payload, size: 64) ?? []
  }

  private func continuation(_ channel: ChannelID, _ sequence: UInt8) -> [UInt8] {
    Packet.continuation(channel: channel, sequence: sequence, data: Self.garbage).report(size: 64)
  }

  private func initReply(_ channel: ChannelID, _ nonce: [UInt8]) -> [UInt8] {
    let reply = InitReply(
      nonce: nonce, channel: Self.foreign, version: DeviceVersion(major: 1, minor: 0, build: 0), capabilities: [.cbor])
    return message(channel, .initialise, reply.encoded())[0]
  }
}

/// The codes of ERROR frames.
enum ErrorCodes {
  /// Those that the specification names, and some that it does not.
  static let all: [CTAPHIDErrorCode] = [
    .invalidCommand, .invalidParameter, .invalidLength, .invalidSequence, .messageTimeout, .channelBusy, .lockRequired,
    .invalidChannel, .other, CTAPHIDErrorCode(rawValue: 0x00), CTAPHIDErrorCode(rawValue: 0x42),
    CTAPHIDErrorCode(rawValue: 0xff),
  ]
}
