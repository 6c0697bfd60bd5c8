public import CTAPHID
public import Octets
internal import Timing

extension Recorder {
  /// The same keys, with everything that passes between them and the host written down.
  public func recorded(_ source: any KeySource) -> any KeySource { RecordedSource(source: source, recorder: self) }

  /// The same randomness, with what is drawn in public written down.
  public func recorded(_ random: any RandomSource) -> any RandomSource {
    RecordedRandom(random: random, key: "", recorder: self)
  }
}

private struct RecordedRandom: RandomSource {
  let random: any RandomSource
  let key: String
  let recorder: Recorder

  func bytes(_ count: Int) -> [UInt8] {
    let bytes = random.bytes(count)
    recorder.note(.draw(key: key, bytes: bytes, isPrivate: false))
    return bytes
  }

  func secretBytes(_ count: Int) -> SecretBytes {
    let secret = random.secretBytes(count)
    recorder.notePrivateDraw(key, secret)
    return secret
  }

  func forKey(_ id: String) -> any RandomSource {
    RecordedRandom(random: random.forKey(id), key: id, recorder: recorder)
  }
}

private struct RecordedSource: KeySource {
  let source: any KeySource
  let recorder: Recorder

  func keys() throws(TransportError) -> [KeyDescription] {
    let keys = try source.keys()
    recorder.note(.keys(keys))
    return keys
  }

  func events() -> AsyncStream<KeyEvent> {
    let events = source.events()
    let (stream, continuation) = AsyncStream.makeStream(of: KeyEvent.self)
    let relay = Task { [recorder] in
      for await event in events {
        switch event {
        case .arrived(let key): recorder.note(.arrived(key))
        case .removed(let key): recorder.note(.removed(key))
        }
        continuation.yield(event)
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in relay.cancel() }
    return stream
  }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    do throws(TransportError) {
      let transport = try source.transport(to: key)
      return RecordedTransport(transport, key: key.id, recorder: recorder)
    } catch {
      recorder.note(.notOpened(key: key.id, error))
      throw error
    }
  }
}

private final class RecordedTransport: ReportTransport {
  private let transport: any ReportTransport
  private let key: String
  private let recorder: Recorder
  private var isOpen = false

  init(_ transport: any ReportTransport, key: String, recorder: Recorder) {
    self.transport = transport
    self.key = key
    self.recorder = recorder
  }

  var reportSizes: ReportSizes { transport.reportSizes }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    do throws(TransportError) {
      try transport.open(deadline: deadline, cancellation: cancellation)
    } catch {
      recorder.note(.notOpened(key: key, error))
      throw error
    }
    isOpen = true
    recorder.note(.opened(key: key, transport.reportSizes))
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    do throws(TransportError) {
      guard let report = try transport.read(deadline: deadline) else { return nil }
      recorder.note(report, .fromKey, key: key)
      return report
    } catch {
      recorder.note(.failed(key: key, .fromKey, error))
      throw error
    }
  }

  func write(_ report: [UInt8]) throws(TransportError) {
    do throws(TransportError) {
      try transport.write(report)
    } catch {
      recorder.note(.failed(key: key, .toKey, error))
      throw error
    }
    recorder.note(report, .toKey, key: key)
  }

  func close() {
    transport.close()
    guard isOpen else { return }
    isOpen = false
    recorder.noteEnd(.closed(key: key), key: key)
  }
}
