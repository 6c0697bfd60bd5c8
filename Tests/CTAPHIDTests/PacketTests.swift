import CTAPHID
import Testing

@Suite("Packets")
struct PacketTests {
  @Test("an initial report has channel, command with its top bit, length and data")
  func initialReport() {
    let packet = Packet.initial(
      channel: ChannelID(rawValue: 0x0102_0304), command: .cbor, length: 0x1234, data: [0xaa, 0xbb])
    #expect(packet.report(size: 64) == Wire.initial(0x10, length: 0x1234, [0xaa, 0xbb]))
    #expect(packet.channel.rawValue == 0x0102_0304)
  }

  @Test("a continuation has channel, sequence number and data")
  func continuationReport() {
    let packet = Packet.continuation(channel: ChannelID(rawValue: Wire.own), sequence: 0x7f, data: [1, 2])
    #expect(packet.report(size: 64) == Wire.continuation(0x7f, [1, 2]))
    #expect(packet.channel.rawValue == Wire.own)
  }

  @Test("data that does not fit is cut at the report's end")
  func cut() {
    let packet = Packet.continuation(channel: .broadcast, sequence: 0, data: [UInt8](repeating: 9, count: 70))
    #expect(packet.report(size: 8) == [0xff, 0xff, 0xff, 0xff, 0, 9, 9, 9])
  }

  @Test("a report is taken apart into the same fields")
  func decode() {
    let channel = ChannelID(rawValue: Wire.own)
    let initial = Packet(report: Wire.initial(0x3b, [2], size: 8))
    #expect(initial == .initial(channel: channel, command: .keepAlive, length: 1, data: [2]))
    let further = Packet(report: Wire.continuation(5, [7, 8, 9], size: 8))
    #expect(further == .continuation(channel: channel, sequence: 5, data: [7, 8, 9]))
  }

  @Test(
    "a report without a whole header is no packet", arguments: [[], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 0x90, 0]])
  func short(report: [UInt8]) {
    #expect(Packet(report: report) == nil)
  }

  @Test("the message limit is (n − 7) + 128 · (n − 5)", arguments: 8...64)
  func limit(size: Int) {
    #expect(Packet.messageLimit(reportSize: size) == (size - 7) + 128 * (size - 5))
  }

  @Test("the message limit is 7609 at 64 bytes, and nothing where no data fits into the first report")
  func limitEnds() {
    #expect(Packet.messageLimit(reportSize: 64) == 7609)
    #expect(Packet.messageLimit(reportSize: 7) == 0)
    #expect(Packet.messageLimit(reportSize: -5) == 0)
  }

  @Test("messages are cut into the reports that hold them", arguments: [0, 1, 57, 58, 116, 117, 7608, 7609])
  func reports(count: Int) throws {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let reports = try #require(
      Packet.reports(channel: ChannelID(rawValue: Wire.own), command: .ping, payload: payload, size: 64))
    #expect(reports == Wire.message(0x01, payload))
    #expect(reports.allSatisfy { $0.count == 64 })
  }

  @Test("a message over the limit, or reports without room for data, give nothing")
  func tooLong() {
    let payload = [UInt8](repeating: 0, count: 7610)
    #expect(Packet.reports(channel: .broadcast, command: .ping, payload: payload, size: 64) == nil)
    #expect(Packet.reports(channel: .broadcast, command: .ping, payload: [], size: 7) == nil)
  }

  @Test("a channel is written with eight digits, and zero and all ones are not handed out")
  func channels() {
    #expect(ChannelID(rawValue: 0xab).description == "000000ab")
    #expect(ChannelID.broadcast.description == "ffffffff")
    #expect(!ChannelID.broadcast.isAllocatable && !ChannelID.reserved.isAllocatable)
    #expect(ChannelID(rawValue: 1).isAllocatable)
  }

  @Test(
    "commands have the specification's numbers and names",
    arguments: [
      (CTAPHIDCommand.ping, 0x01, "PING"), (.msg, 0x03, "MSG"), (.lock, 0x04, "LOCK"), (.initialise, 0x06, "INIT"),
      (.wink, 0x08, "WINK"), (.cbor, 0x10, "CBOR"), (.cancel, 0x11, "CANCEL"), (.keepAlive, 0x3b, "KEEPALIVE"),
      (.error, 0x3f, "ERROR"), (CTAPHIDCommand(rawValue: 0x12), 0x12, "command 0x12"),
    ] as [(CTAPHIDCommand, UInt8, String)])
  func commands(command: CTAPHIDCommand, number: UInt8, name: String) {
    #expect(command.rawValue == number)
    #expect(command.description == name)
    #expect(!command.isVendor)
  }

  @Test("a command has seven bits, and the upper half of them are vendors'")
  func vendorCommands() {
    #expect(CTAPHIDCommand(rawValue: 0xc1) == CTAPHIDCommand(rawValue: 0x41))
    #expect(CTAPHIDCommand(rawValue: 0x41).isVendor)
  }

  @Test(
    "error codes have the specification's numbers and names",
    arguments: [
      (CTAPHIDErrorCode.invalidCommand, 0x01, "ERR_INVALID_CMD"), (.invalidParameter, 0x02, "ERR_INVALID_PAR"),
      (.invalidLength, 0x03, "ERR_INVALID_LEN"), (.invalidSequence, 0x04, "ERR_INVALID_SEQ"),
      (.messageTimeout, 0x05, "ERR_MSG_TIMEOUT"), (.channelBusy, 0x06, "ERR_CHANNEL_BUSY"),
      (.lockRequired, 0x0a, "ERR_LOCK_REQUIRED"), (.invalidChannel, 0x0b, "ERR_INVALID_CHANNEL"),
      (.other, 0x7f, "ERR_OTHER"), (CTAPHIDErrorCode(rawValue: 0x55), 0x55, "error code 0x55"),
    ] as [(CTAPHIDErrorCode, UInt8, String)])
  func errorCodes(code: CTAPHIDErrorCode, number: UInt8, name: String) {
    #expect(code.rawValue == number)
    #expect(code.description == name)
  }

  @Test("every keep-alive status goes to its byte and back", arguments: 0...255)
  func keepAlive(byte: Int) {
    let status = KeepAlive(status: UInt8(byte))
    #expect(status.status == UInt8(byte))
    switch byte {
    case 1: #expect(status == .processing)
    case 2: #expect(status == .userPresenceNeeded)
    default: #expect(status == .other(UInt8(byte)))
    }
  }

  @Test("an INIT reply is 17 bytes, both ways; one that is longer is read, one that is shorter is not")
  func initReply() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0x0a, 0x0b, 0x0c, 0x0d, 2, 5, 4, 3, 0x0d]
    let reply = InitReply(
      nonce: [1, 2, 3, 4, 5, 6, 7, 8], channel: ChannelID(rawValue: 0x0a0b_0c0d),
      version: DeviceVersion(major: 5, minor: 4, build: 3), capabilities: [.wink, .cbor, .noMSG])
    #expect(reply.encoded() == bytes)
    #expect(InitReply(bytes) == reply)
    #expect(InitReply(bytes + [99]) == reply)
    #expect(InitReply(Array(bytes.dropLast())) == nil)
    #expect(reply.version.description == "5.4.3")
  }
}

@Suite("Putting messages together")
struct MessageAssemblerTests {
  static func begin(_ length: Int, _ data: [UInt8]) -> MessageAssembler? {
    MessageAssembler(command: .cbor, length: length, data: data, limit: 30)
  }

  @Test("a message of one report is whole at once, without its padding")
  func single() throws {
    let message = try #require(Self.begin(2, [1, 2, 0, 0]))
    #expect(message.isComplete)
    #expect(message.payload == [1, 2])
    #expect(message.command == .cbor)
  }

  @Test("continuations are taken in order, and the padding of the last is dropped")
  func inOrder() throws {
    var message = try #require(Self.begin(7, [1, 2]))
    #expect(message.add(sequence: 0, data: [3, 4, 5]) == .incomplete)
    #expect(message.add(sequence: 1, data: [6, 7, 0]) == .complete)
    #expect(message.payload == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test("a repeated continuation, one out of its turn and one that contradicts change nothing")
  func misfits() throws {
    var message = try #require(Self.begin(9, [1, 2]))
    #expect(message.add(sequence: 0, data: [3, 4, 5]) == .incomplete)
    let before = message
    #expect(message.add(sequence: 0, data: [3, 4, 5]) == .duplicate)
    #expect(message.add(sequence: 0, data: [3, 4, 6]) == .conflict)
    #expect(message.add(sequence: 2, data: [9, 9, 9]) == .ahead(expected: 1))
    #expect(message == before)
  }

  @Test("a repetition of another size than its first is a contradiction, not a trap")
  func oddRepetition() throws {
    var message = try #require(Self.begin(30, [1, 2]))
    #expect(message.add(sequence: 0, data: [3]) == .incomplete)
    #expect(message.add(sequence: 1, data: [4]) == .incomplete)
    #expect(message.add(sequence: 1, data: [UInt8](repeating: 4, count: 60)) == .conflict)
  }

  @Test("nothing is added to a message that is whole")
  func whole() throws {
    var message = try #require(Self.begin(1, [1]))
    #expect(message.add(sequence: 0, data: [2]) == .ahead(expected: 0))
    #expect(message.payload == [1])
  }

  @Test("a length over the limit is refused before anything is kept")
  func limit() {
    #expect(Self.begin(31, [1]) == nil)
    #expect(Self.begin(30, [1]) != nil)
    #expect(Self.begin(-1, []) == nil)
  }
}
