internal import CTAPHID
internal import Timing

/// Finds the key of a ceremony: the one that was named, the only one, or the one that is touched.
actor KeyFinder {
  /// After what time a key that another program holds is tried again.
  static let pause = Duration.milliseconds(500)
  /// How long opening the only key may take, another program's lock among it.
  static let patience = Duration.seconds(20)
  /// The same where others are there to be used.
  static let patienceAmongSeveral = Duration.seconds(5)

  let ceremony: any Ceremony
  let probe: KeyProbe
  var members: [String: Member] = [:]
  /// The keys that were skipped, in the order in which that happened.
  private(set) var skipped: [Skipped] = []
  var isWaitAnnounced = false
  private var generation = 0
  private var tasks: [Task<Void, Never>] = []
  private var closings: [Task<Void, Never>] = []

  /// A key in the search.
  struct Member {
    enum State {
      case probing
      case ready(KeyCandidate)
      case blinking(KeyCandidate)
      /// Another program holds it; it is tried again and again.
      case held
      case skipped
    }

    let handle: KeyHandle
    /// Tells a key from one that was at the same place before.
    let generation: Int
    var state: State
  }

  /// A key that is not used, and why.
  struct Skipped {
    let key: String
    let line: String
    let kind: WebAuthnError.Kind
    /// Whether it is still there, so that the same reason is not told again.
    var isThere = true
  }

  init(ceremony: any Ceremony) {
    self.ceremony = ceremony
    probe = KeyProbe(ceremony: ceremony)
  }

  var user: any UserInteraction { ceremony.user }
  var limit: CeremonyLimit { ceremony.limit }
  /// Whether a key may be waited for: the caller allows it and somebody is there.
  var mayWait: Bool { ceremony.options.waitsForKey && user.isAttended }

  /// The key to use, open.
  func find() async throws(WebAuthnError) -> KeyCandidate {
    try limit.check()
    let keys = try list()
    if case .named(let name) = ceremony.options.key { return try await named(name, among: keys) }
    let usable = keys.filter { passesObstacle($0) }
    if usable.count == 1 {
      let handle = try makeHandle(usable[0])
      switch await probe.candidate(handle, within: Self.patience) {
      case .success(let candidate): return candidate
      case .failure(let objection):
        skip(usable[0], objection)
        if let reached = limit.reached { throw explained(reached) }
        members[handle.key.id] = Member(
          handle: handle, generation: nextGeneration(), state: objection.mayPass ? .held : .skipped)
      }
    }
    if usable.count < 2 && !mayWait { throw nothingSuits() }
    let candidate = try await search()
    release(except: candidate.handle)
    return candidate
  }

  /// Waits until the keys that were not chosen are closed and dark again.
  func finish() async {
    release(except: nil)
    for closing in closings { await closing.value }
  }

  private func named(_ name: String, among keys: [KeyDescription]) async throws(WebAuthnError) -> KeyCandidate {
    let matches = keys.filter { $0.id == name || $0.serialNumber == name }
    guard let key = matches.first else {
      let there = keys.isEmpty ? "none is plugged in" : "there are: " + keys.map(\.id).joined(separator: ", ")
      throw WebAuthnError(
        .notAllowedError, .keyNotFound,
        "There is no key with the path or serial number \(PlainText.quoted(name)); \(there).")
    }
    guard matches.count == 1 else {
      throw WebAuthnError(
        .notAllowedError, .keyNotFound,
        "More than one key has the serial number \(PlainText.quoted(name)); give a path.")
    }
    if let objection = KeyProbe.obstacle(key) { throw refused(key, objection) }
    switch await probe.candidate(try makeHandle(key), within: Self.patience) {
    case .success(let candidate): return candidate
    case .failure(let objection):
      if let reached = limit.reached, reached.kind != .timedOut { throw reached }
      throw refused(key, objection, isLate: limit.reached != nil)
    }
  }

  private func refused(
    _ key: KeyDescription, _ objection: KeyObjection, isLate: Bool = false
  ) -> WebAuthnError {
    WebAuthnError(
      .notAllowedError, isLate ? .timedOut : objection.kind, "The key \(key.id) cannot be used: \(objection.reason).")
  }

  // MARK: Parts of the search

  func list() throws(WebAuthnError) -> [KeyDescription] {
    do {
      return try ceremony.client.keySource.keys()
    } catch {
      throw WebAuthnError(
        .notAllowedError, .communication, "The keys that are plugged in cannot be listed (\(error)).", cause: error)
    }
  }

  func passesObstacle(_ key: KeyDescription) -> Bool {
    guard let objection = KeyProbe.obstacle(key) else { return true }
    skip(key, objection)
    return false
  }

  /// Notes why a key is not used and tells the user, once for as long as the key is there.
  func skip(_ key: KeyDescription, _ objection: KeyObjection) {
    let entry = Skipped(key: key.id, line: "\(key.spoken): \(objection.reason)", kind: objection.kind)
    if let known = skipped.firstIndex(where: { $0.key == entry.key && $0.line == entry.line }) {
      if skipped[known].isThere { return }
      skipped[known].isThere = true
    } else {
      skipped.append(entry)
    }
    user.notify(.keySkipped(key, reason: objection.reason))
  }

  /// Forgets why a key was not used, because now it can be.
  func unskip(_ id: String) { skipped.removeAll { $0.key == id } }

  /// Notes that a skipped key is gone: if it comes back, it is told of again.
  func noteRemoval(of id: String) {
    for index in skipped.indices where skipped[index].key == id { skipped[index].isThere = false }
  }

  /// Why keys were skipped, in one clause.
  var skippedInWords: String {
    var lines: [String] = []
    for entry in skipped where !lines.contains(entry.line) { lines.append(entry.line) }
    return lines.joined(separator: "; ")
  }

  /// Whether every key that was skipped was one that this user may not open.
  var isPermissionAllThatLacks: Bool { skipped.allSatisfy { $0.kind == .noPermission } }

  func makeHandle(_ key: KeyDescription) throws(WebAuthnError) -> KeyHandle {
    let client = ceremony.client
    do {
      return try KeyHandle(
        key, source: client.keySource, cancellation: limit.cancellation.child(), clock: client.clock,
        random: client.random)
    } catch {
      throw WebAuthnError(
        .unknownError, .internalFault, "No thread can be started for \(key.spoken) (\(error)).", cause: error)
    }
  }

  func nextGeneration() -> Int {
    generation += 1
    return generation
  }

  func keep(_ task: Task<Void, Never>) { tasks.append(task) }

  func close(_ handle: KeyHandle) {
    handle.cancellation.cancel()
    closings.append(Task { await handle.close() })
  }

  private func release(except chosen: KeyHandle?) {
    for task in tasks { task.cancel() }
    tasks = []
    for member in members.values where member.handle !== chosen { close(member.handle) }
    members = [:]
  }

  /// The error where no key suits and none is waited for.
  func nothingSuits() -> WebAuthnError {
    guard !skipped.isEmpty else {
      return WebAuthnError(.notAllowedError, .noSuitableKey, "No security key is plugged in.")
    }
    return WebAuthnError(
      .notAllowedError, isPermissionAllThatLacks ? .noPermission : .noSuitableKey,
      "No key that is plugged in can be used: \(skippedInWords).")
  }
}
