import CTAPHID
import Foundation
import Octets
import Synchronization
import Timing
import VirtualKey

/// The key's end of the line; it serves on threads of its own and remembers what was on the line and what the key drew.
final class LineKey: Sendable {
  let port: VirtualKeyPort
  private let random: RememberingRandom
  private let traffic = Mutex<[UInt8]>([])
  private let listener: Int32
  private let onWord = Mutex<@Sendable (String) -> Void>({ _ in })

  private let onCancel = Mutex<@Sendable () -> Void>({})

  /// Serves a key at a path.
  init(path: String, _ configuration: VirtualKeyConfiguration) throws {
    random = RememberingRandom()
    port = try VirtualKeyPort(configuration: configuration, random: random)
    listener = try Line.listen(path)
    Thread.detachNewThread { [self] in
      while true {
        let line = accept(listener, nil, nil)
        guard line >= 0 else { return }
        Thread.detachNewThread { [self] in serve(line) }
      }
    }
  }

  /// What is done with words of the other process, which waits meanwhile.
  func whenSpokenTo(_ body: @escaping @Sendable (String) -> Void) { onWord.withLock { $0 = body } }

  /// What is done when the other end cancels, after the key has heard of it.
  func whenCancelled(_ body: @escaping @Sendable () -> Void) { onCancel.withLock { $0 = body } }

  /// No further calls are taken.
  func hangUp() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// What the key drew and never sent: tokens, private keys.
  var secrets: [[UInt8]] {
    let traffic = traffic.withLock { Data($0) }
    return random.drawn.filter { $0.count >= 16 && traffic.range(of: Data($0)) == nil }
  }

  private func serve(_ line: Int32) {
    defer { close(line) }
    let transport = port.transport()
    guard (try? transport.open(deadline: SystemClock().now + .seconds(10), cancellation: Cancellation())) != nil else {
      return
    }
    defer { transport.close() }
    while true {
      let message = Line.receive(line, milliseconds: 1)
      if let message {
        if message.isEmpty { return }
        if message.count < 64 {
          onWord.withLock { $0 }(String(decoding: message, as: UTF8.self))
          _ = Line.send(line, [1])
          continue
        }
        guard (try? transport.write(message)) != nil else { return }
        if message[4] == 0x91 { onCancel.withLock { $0 }() }
      }
      while let report = try? transport.read(deadline: SystemClock().now) {
        // The channel and the sequence number, or the command and the length, are in front.
        traffic.withLock { $0 += report.dropFirst(report[4] & 0x80 == 0 ? 5 : 7) }
        guard Line.send(line, report) else { return }
      }
    }
  }
}

/// The system's random bytes, remembered.
final class RememberingRandom: RandomSource {
  private let all = Mutex<[[UInt8]]>([])

  var drawn: [[UInt8]] { all.withLock { $0 } }

  func bytes(_ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
    all.withLock { $0.append(bytes) }
    return bytes
  }
}
