public import CTAPHID
internal import Timing

/// The FIDO keys on this machine's USB ports, found by HID usage page 0xF1D0 and usage 1, never by vendor.
///
/// On Linux nothing is opened to find out what is there: sysfs says it, so a key that the user may not open is listed
/// with its names and `KeyObstacle.permission`. Nothing is remembered from one scan to the next.
public struct USBKeySource: KeySource {
  private let platform: any USBPlatform
  private let clock: any MonotonicClock

  #if os(Linux)
    /// Creates the source.
    ///
    /// - Parameters:
    ///   - sysfs: Where sysfs is mounted.
    ///   - devices: Where the device nodes are.
    public init(sysfs: String = "/sys", devices: String = "/dev") {
      self.init(platform: LinuxPlatform(nodes: HIDRaw(sysfs: sysfs, devices: devices)), clock: SystemClock())
    }
  #else
    /// Creates the source.
    public init() {
      self.init(platform: DarwinPlatform(), clock: SystemClock())
    }
  #endif

  init(platform: any USBPlatform, clock: any MonotonicClock) {
    self.platform = platform
    self.clock = clock
  }

  /// The keys that are plugged in, in the order of their nodes' numbers.
  public func keys() throws(TransportError) -> [KeyDescription] {
    try platform.keys()
  }

  /// Arrivals and removals from the moment of the call.
  ///
  /// A key whose description changes, such as by a new udev rule, is announced again as an arrival.
  public func events() -> AsyncStream<KeyEvent> {
    let watch = KeyWatch(platform: platform)
    return AsyncStream { continuation in
      watch.run { continuation.yield($0) }
      continuation.onTermination = { _ in watch.stop() }
    }
  }

  /// A closed transport to a key; opening it is what may fail.
  public func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    USBTransport(doors: try platform.doors(of: key.id, clock: clock), clock: clock)
  }
}

/// What differs from one operating system to the next.
protocol USBPlatform: Sendable {
  /// The keys that are there now.
  func keys() throws(TransportError) -> [KeyDescription]

  /// The key with an identifier, or nil where there is none.
  func key(_ id: String) -> KeyDescription?

  /// How the key with an identifier is reached.
  func doors(of id: String, clock: any MonotonicClock) throws(TransportError) -> sending USBTransport.Doors

  /// Word of changes, from the moment of the call.
  func changes() -> sending any ChangeSignal
}

/// Where word of arrivals and removals comes from; used from one thread.
protocol ChangeSignal: AnyObject {
  /// Waits until something may have changed, or a while has passed, or `wake` is readable.
  func next(wake: Int32) -> Change
}

/// What a `ChangeSignal` heard.
enum Change: Hashable, Sendable {
  /// Nothing yet.
  case nothing
  /// The device with this identifier came, or changed.
  case present(String)
  /// The device with this identifier went.
  case absent(String)
  /// Anything may have changed.
  case unknown
}
