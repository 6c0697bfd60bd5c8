internal import CTAP2
internal import CTAPHID
internal import Timing

/// What the search for a key reacts to.
private enum SearchEvent: Sendable {
  case source(KeyEvent)
  case probed(String, generation: Int, Result<KeyCandidate, KeyObjection>)
  case touched(String, generation: Int)
  case notTouched(String, generation: Int, CTAP2Error)
  case over(WebAuthnError)
}

extension KeyFinder {
  /// Waits for a key that suits; with several, all of them blink and the one that is touched is it.
  ///
  /// Keys that arrive join, keys that are pulled out leave.
  func search() async throws(WebAuthnError) -> KeyCandidate {
    let (events, feed) = AsyncStream.makeStream(of: SearchEvent.self)
    defer { feed.finish() }
    watch(feed)
    // Listed anew, because what came since the first list is announced by nobody.
    let keys = try list()
    for key in keys { try add(key, feed) }
    for gone in members.keys.filter({ id in !keys.contains { $0.id == id } }) { remove(gone) }
    for member in members.values { if case .held = member.state { tryAgain(member, feed) } }
    if let candidate = try settle(feed) { return candidate }
    for await event in events {
      if let candidate = try take(event, feed) { return candidate }
      if let candidate = try settle(feed) { return candidate }
    }
    throw limit.reached ?? limit.cancelledError
  }

  private func watch(_ feed: AsyncStream<SearchEvent>.Continuation) {
    let arrivals = ceremony.client.keySource.events()
    keep(Task { for await event in arrivals { feed.yield(.source(event)) } })
    keep(
      Task { [limit] in
        while !Task.isCancelled {
          if let reached = limit.reached {
            feed.yield(.over(reached))
            return
          }
          try? await Task.sleep(for: min(.milliseconds(20), max(limit.remaining, .milliseconds(1))))
        }
      })
  }

  private func take(
    _ event: SearchEvent, _ feed: AsyncStream<SearchEvent>.Continuation
  ) throws(WebAuthnError) -> KeyCandidate? {
    switch event {
    case .source(.arrived(let key)): try add(key, feed)
    case .source(.removed(let id)): remove(id)
    case .probed(let id, let generation, let result):
      guard let member = members[id], member.generation == generation else { return nil }
      switch result {
      case .success(let candidate):
        members[id]?.state = .ready(candidate)
        unskip(id)
      case .failure(let objection) where objection.mayPass && limit.reached == nil:
        members[id]?.state = .held
        skip(member.handle.key, objection)
        tryAgain(member, feed)
      case .failure(let objection): drop(id, member, objection)
      }
    case .touched(let id, let generation):
      guard let member = members[id], member.generation == generation, case .blinking(var candidate) = member.state
      else { return nil }
      candidate.wasTouched = true
      return candidate
    case .notTouched(let id, let generation, let error):
      guard let member = members[id], member.generation == generation, limit.reached == nil else { return nil }
      drop(id, member, KeyObjection(reason: CTAP2Words(error).clause, kind: .communication))
    case .over(let error): throw explained(error)
    }
    return nil
  }

  private func add(
    _ key: KeyDescription, _ feed: AsyncStream<SearchEvent>.Continuation
  ) throws(WebAuthnError) {
    if members[key.id] != nil { return }
    guard passesObstacle(key) else { return }
    isWaitAnnounced = false
    let handle = try makeHandle(key)
    let generation = nextGeneration()
    let member = Member(handle: handle, generation: generation, state: .probing)
    members[key.id] = member
    ask(member, feed)
  }

  /// Opens a key and asks what it can do, after a pause.
  private func ask(
    _ member: Member, after pause: Duration? = nil, _ feed: AsyncStream<SearchEvent>.Continuation
  ) {
    let (probe, handle, generation) = (probe, member.handle, member.generation)
    keep(
      Task {
        if let pause {
          try? await Task.sleep(for: pause)
          if Task.isCancelled || handle.cancellation.isCancelled { return }
        }
        let result = await probe.candidate(handle, within: KeyFinder.patienceAmongSeveral, comparing: true)
        feed.yield(.probed(handle.key.id, generation: generation, result))
      })
  }

  /// Another program lets go of a key without a word, so the key is tried again; nothing else waits for that.
  private func tryAgain(_ member: Member, _ feed: AsyncStream<SearchEvent>.Continuation) {
    ask(member, after: KeyFinder.pause, feed)
  }

  private func remove(_ id: String) {
    noteRemoval(of: id)
    guard let member = members.removeValue(forKey: id) else { return }
    close(member.handle)
    user.notify(.keyRemoved(member.handle.key))
  }

  private func drop(_ id: String, _ member: Member, _ objection: KeyObjection) {
    members[id]?.state = .skipped
    close(member.handle)
    skip(member.handle.key, objection)
  }

  /// Goes on from the state that an event led to.
  private func settle(_ feed: AsyncStream<SearchEvent>.Continuation) throws(WebAuthnError) -> KeyCandidate? {
    dropWorse()
    var ready: [KeyCandidate] = []
    var blinking: [KeyCandidate] = []
    for id in members.keys.sorted() {
      switch members[id]?.state {
      case .probing: return nil
      case .ready(let candidate): ready.append(candidate)
      case .blinking(let candidate): blinking.append(candidate)
      case .held, .skipped, nil: break
      }
    }
    if ready.isEmpty {
      if blinking.isEmpty { try announceWait() }
      return nil
    }
    if ready.count == 1 && blinking.isEmpty { return ready[0] }
    user.notify(.touchToSelect((blinking + ready).map(\.handle.key)))
    for candidate in ready { blink(candidate, feed) }
    return nil
  }

  /// Skips the keys that have less of what is needed than another one has, once all have been asked.
  private func dropWorse() {
    var candidates: [(id: String, member: Member, standing: KeyCandidate.Standing)] = []
    for (id, member) in members.sorted(by: { $0.key < $1.key }) {
      switch member.state {
      case .probing: return
      case .ready(let candidate), .blinking(let candidate): candidates.append((id, member, candidate.standing))
      case .held, .skipped: break
      }
    }
    guard let best = candidates.map(\.standing).max() else { return }
    for (id, member, standing) in candidates where standing < best {
      drop(id, member, KeyObjection(reason: "it has no credential that the request allows"))
    }
  }

  private func blink(_ candidate: KeyCandidate, _ feed: AsyncStream<SearchEvent>.Continuation) {
    let id = candidate.handle.key.id
    guard let generation = members[id]?.generation else { return }
    members[id]?.state = .blinking(candidate)
    let deadline = limit.deadline
    keep(
      Task {
        do throws(CTAP2Error) {
          try await candidate.handle.run(by: deadline) { session, wait throws(CTAP2Error) in try session.select(wait) }
          feed.yield(.touched(id, generation: generation))
        } catch {
          feed.yield(.notTouched(id, generation: generation, error))
        }
      })
  }

  private func announceWait() throws(WebAuthnError) {
    guard mayWait else { throw nothingSuits() }
    guard !isWaitAnnounced else { return }
    isWaitAnnounced = true
    user.notify(.waitingForKey(limit.remaining))
  }

  /// The error at the end of a wait, with what kept the keys from being used.
  func explained(_ error: WebAuthnError) -> WebAuthnError {
    guard error.kind == .timedOut else { return error }
    let isBlinking = members.values.contains { if case .blinking = $0.state { true } else { false } }
    if isBlinking {
      return WebAuthnError(.notAllowedError, .timedOut, "No key was touched in time.")
    }
    guard !skipped.isEmpty else {
      return WebAuthnError(.notAllowedError, .timedOut, "No security key was plugged in in time.")
    }
    return WebAuthnError(
      .notAllowedError, isPermissionAllThatLacks ? .noPermission : .timedOut,
      "No key that can be used came in time: \(skippedInWords).")
  }
}
