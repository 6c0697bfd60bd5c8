import Octets

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads the program's lines on a thread of its own, into memory that is zeroed as soon as a line is done with.
final class ProgramInput: Sendable {
  /// What it hands on.
  enum Piece {
    /// The first line, where that is the request; nil where it is longer than a request may be.
    case request([UInt8]?)
    /// Any other line, valid until the call returns; nil where it is longer than any answer.
    case line(UnsafeRawBufferPointer?)
    /// Nothing follows.
    case end
  }

  /// The most bytes that a line with an answer has.
  static let lineLimit = 16_384
  /// The most bytes that a request has.
  static let requestLimit = 1 << 20

  private let descriptor: Int32
  private let stop = WakePipe()

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Starts to read; `body` is called on the reading thread until the input ends or `finish` is called.
  func start(expectsRequest: Bool, _ body: @escaping @Sendable (Piece) -> Void) {
    Threads.detach { [self] in
      // One byte more than a line may have, for its line feed; it never grows, and leaves no copies behind.
      var buffer = [UInt8](repeating: 0, count: Self.lineLimit + 1)
      defer { buffer.wipe() }
      buffer.withUnsafeMutableBytes { bytes in
        var lines = Lines(buffer: bytes, request: expectsRequest ? [] : nil, body: body)
        while true {
          let count = read(into: lines.free)
          guard count > 0 else { break }
          lines.take(count)
        }
        lines.end()
      }
      body(.end)
    }
  }

  /// Ends the reading.
  func finish() { stop.signal() }

  /// Waits for bytes and reads them; 0 at the end, or when the reading is to stop.
  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      var waits = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waits, 2, -1) >= 0 else {
        if errno == EINTR { continue }
        return 0
      }
      if waits[1].revents != 0 { return 0 }
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      return max(count, 0)
    }
  }
}

/// Cuts what was read into lines, inside one buffer.
private struct Lines {
  let buffer: UnsafeMutableRawBufferPointer
  /// The request as far as it was read; nil when it is done with or none is expected.
  var request: [UInt8]?
  let body: (ProgramInput.Piece) -> Void
  private var used = 0
  /// Whether the line that is being read is too long already.
  private var isTooLong = false

  init(
    buffer: UnsafeMutableRawBufferPointer, request: [UInt8]?, body: @escaping (ProgramInput.Piece) -> Void
  ) {
    self.buffer = buffer
    self.request = request
    self.body = body
  }

  var free: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[used...]) }

  /// Takes in the bytes that were read into `free`, and leaves only those of an unfinished line.
  mutating func take(_ count: Int) {
    let end = used + count
    var start = 0
    while let lineFeed = buffer[start..<end].firstIndex(of: UInt8(ascii: "\n")) {
      finish(buffer[start..<lineFeed])
      start = lineFeed + 1
    }
    keep(buffer[start..<end])
    UnsafeMutableRawBufferPointer(rebasing: buffer[used..<end]).initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Takes a last line that has no line feed.
  mutating func end() {
    if request != nil || used > 0 || isTooLong { finish(buffer[..<used]) }
    used = 0
  }

  private mutating func keep(_ rest: Slice<UnsafeMutableRawBufferPointer>) {
    used = 0
    if request != nil {
      extendRequest(rest)
    } else if isTooLong || rest.count == buffer.count {
      isTooLong = true
    } else {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
      used = rest.count
    }
  }

  private mutating func finish(_ line: Slice<UnsafeMutableRawBufferPointer>) {
    defer { isTooLong = false }
    if request != nil {
      extendRequest(line)
      body(.request(isTooLong ? nil : request))
      request = nil
    } else {
      body(.line(isTooLong ? nil : UnsafeRawBufferPointer(rebasing: line)))
    }
  }

  private mutating func extendRequest(_ part: Slice<UnsafeMutableRawBufferPointer>) {
    if (request?.count ?? 0) + part.count > ProgramInput.requestLimit { isTooLong = true }
    if isTooLong { request = [] } else { request?.append(contentsOf: part) }
  }
}
