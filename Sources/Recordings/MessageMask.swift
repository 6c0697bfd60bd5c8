internal import CBOR
internal import CTAPHID
internal import CTAPMessages

/// Decides which bytes of a whole message are redacted; a message that can't be read is redacted whole.
struct MessageMask {
  private let payload: [UInt8]
  private(set) var isHidden: [Bool]

  private init(_ payload: [UInt8], hidden: Bool) {
    self.payload = payload
    isHidden = [Bool](repeating: hidden, count: payload.count)
  }

  /// The mask of a request from the host.
  static func request(_ command: CTAPHIDCommand, _ payload: [UInt8]) -> [Bool] {
    switch command {
    case .initialise, .ping, .lock, .wink, .cancel: return MessageMask(payload, hidden: false).isHidden
    case .msg: return MessageMask(payload, hidden: !isU2F(payload)).isHidden
    case .cbor:
      var mask = MessageMask(payload, hidden: true)
      mask.showRequest()
      return mask.isHidden
    default: return MessageMask(payload, hidden: true).isHidden
    }
  }

  /// The mask of an answer from the key to the last request on its channel, or nil where none is known.
  static func answer(
    _ command: CTAPHIDCommand, _ payload: [UInt8], to request: (command: CTAPHIDCommand, payload: [UInt8])?
  ) -> [Bool] {
    var mask = MessageMask(payload, hidden: true)
    switch command {
    // The reply to INIT says nothing but what any program may ask.
    case .initialise: mask.show(0..<min(InitReply.length, payload.count))
    case .keepAlive, .error: mask.show(0..<min(1, payload.count))
    case .lock, .wink: break
    case .ping where request?.command == .ping && request?.payload == payload: mask.show(payload.indices)
    // Answers of U2F are public: keys, handles, certificates, signatures.
    case .msg where request?.command == .msg && request.map({ isU2F($0.payload) }) == true: mask.show(payload.indices)
    case .cbor:
      mask.show(0..<min(1, payload.count))
      if let request, request.command == .cbor, let code = request.payload.first, payload.first == 0 {
        mask.showAnswer(to: code)
      }
    default: break
    }
    return mask.isHidden
  }

  private static func isU2F(_ payload: [UInt8]) -> Bool {
    guard let frame = try? U2FCommandFrame(payload) else { return false }
    return frame.cla == 0
      && [U2FInstruction.register, U2FInstruction.authenticate, U2FInstruction.version].contains(frame.ins)
  }

  private mutating func show(_ range: Range<Int>) {
    for index in range where isHidden.indices.contains(index) { isHidden[index] = false }
  }

  private mutating func hide(_ ranges: [Range<Int>]) {
    for range in ranges { for index in range where isHidden.indices.contains(index) { isHidden[index] = true } }
  }

  private mutating func showRequest() {
    show(0..<min(1, payload.count))
    guard payload.count > 1, let body = CBORLayout(payload, at: 1), body.range.upperBound == payload.count else {
      return
    }
    guard let rules = Visibility.request(payload[0], body.value.mapValue) else { return }
    show(members: body, rules)
  }

  private mutating func showAnswer(to command: UInt8) {
    guard payload.count > 1, let body = CBORLayout(payload, at: 1), body.range.upperBound == payload.count,
      let content = body.value.mapValue, let rules = Visibility.answer(command, content)
    else { return }
    show(members: body, rules)
    // The statement is signed over what is hidden now, so a replay could only find it wrong: its format's name is
    // hidden, and one that is not known is not checked.
    guard command == CTAPCommand.makeCredential.rawValue else { return }
    let parts = Dictionary(body.members.map { ($0.key, $0.value) }) { first, _ in first }
    if let data = parts[2]?.content, isHidden[data].contains(true), let format = parts[1] {
      hide(format.strings(in: payload))
    }
  }

  private mutating func show(members body: CBORLayout, _ rules: [Int: Visibility]) {
    guard body.value.mapValue != nil else { return }
    show(body.range)
    hide(body.strings(in: payload))
    for (key, member) in body.members {
      guard let number = key.intValue, let rule = rules[number] else { continue }
      show(member, rule)
    }
  }

  private mutating func show(_ item: CBORLayout, _ rule: Visibility) {
    switch (rule, item.value) {
    case (.text, .text), (.bytes, .bytes), (.map, .map), (.array, .array), (.publicKey, .map): show(item.range)
    case (.extensions, .map):
      for index in stride(from: 0, to: item.parts.count, by: 2) { show(item.parts[index].range) }
    case (.authenticatorData, .bytes(let data)):
      guard let start = item.content?.lowerBound, let secrets = Self.secrets(inAuthenticatorData: data) else { return }
      show(item.range)
      hide(secrets.map { $0.lowerBound + start..<$0.upperBound + start })
    default: break
    }
  }

  /// Where authenticator data has secret outputs of extensions; nil where it can't be read.
  private static func secrets(inAuthenticatorData data: [UInt8]) -> [Range<Int>]? {
    guard let parsed = try? AuthenticatorData.parse(data) else { return nil }
    guard parsed.flags.contains(.extensionData) else { return [] }
    let start = 37 + (parsed.attestedCredential.map { 18 + $0.credentialID.count + $0.publicKeyBytes.count } ?? 0)
    guard let outputs = CBORLayout(data, at: start) else { return nil }
    return outputs.members.flatMap { name, output -> [Range<Int>] in
      publicOutputs.contains(name) ? [] : output.strings(in: data)
    }
  }

  /// The extensions whose strings in authenticator data are the relying party's own.
  private static let publicOutputs: Set<CBORValue> = ["credBlob"]
}
