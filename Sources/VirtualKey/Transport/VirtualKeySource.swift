public import CTAPHID
import Synchronization

/// Virtual keys as a place where keys come from; tests plug them in and pull them out.
public final class VirtualKeySource: KeySource {
  private let content: Mutex<Content>

  private struct Content {
    var keys: [(description: KeyDescription, port: VirtualKeyPort)] = []
    var listeners: [Int: AsyncStream<KeyEvent>.Continuation] = [:]
    var nextListener = 0

    func tell(_ event: KeyEvent) {
      for listener in listeners.values { listener.yield(event) }
    }
  }

  /// Creates a source without keys.
  public init() {
    content = Mutex(Content())
  }

  /// Creates a source with one key.
  public convenience init(_ port: VirtualKeyPort, id: String = "virtual") {
    self.init()
    plug(port, id: id)
  }

  /// Plugs a key in under an identifier; one that was pulled out gets its power back.
  public func plug(_ port: VirtualKeyPort, id: String) {
    if port.isUnplugged { port.powerCycle() }
    let description = port.description(id: id)
    content.withLock { content in
      content.keys.removeAll { $0.description.id == id }
      content.keys.append((description, port))
      content.tell(.arrived(description))
    }
  }

  /// Pulls a key out; harmless where it is not there.
  public func unplug(id: String) {
    let port = content.withLock { content -> VirtualKeyPort? in
      guard let index = content.keys.firstIndex(where: { $0.description.id == id }) else { return nil }
      content.tell(.removed(id))
      return content.keys.remove(at: index).port
    }
    port?.unplug()
  }

  /// The keys that are plugged in, in the order in which they were.
  public func keys() throws(TransportError) -> [KeyDescription] {
    content.withLock { $0.keys.map(\.description) }
  }

  /// Arrivals and removals from now on.
  public func events() -> AsyncStream<KeyEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: KeyEvent.self)
    let listener = content.withLock { content in
      defer { content.nextListener += 1 }
      content.listeners[content.nextListener] = continuation
      return content.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.content.withLock { $0.listeners[listener] = nil }
    }
    return stream
  }

  /// A closed transport to a key.
  public func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    let port = content.withLock { content in content.keys.first { $0.description.id == key.id }?.port }
    guard let port else { throw .notFound(key.id) }
    return port.transport()
  }
}
