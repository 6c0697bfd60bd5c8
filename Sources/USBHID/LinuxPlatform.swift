#if os(Linux)
  internal import CTAPHID
  internal import CUdev
  internal import Glibc
  internal import Timing

  /// Keys by way of hidraw, sysfs and udev.
  struct LinuxPlatform: USBPlatform {
    let nodes: HIDRaw
    /// How long a wait for changes lasts where only looking again tells.
    var pollInterval: Int32 = 250

    func keys() throws(TransportError) -> [KeyDescription] {
      try nodes.names().compactMap { nodes.key($0) }
    }

    func key(_ id: String) -> KeyDescription? {
      nodes.name(at: id).flatMap { nodes.key($0) }
    }

    func doors(of id: String, clock: any MonotonicClock) throws(TransportError) -> sending USBTransport.Doors {
      guard let name = nodes.name(at: id) else { throw .notFound(id) }
      return .hidraw(nodes, name: name, clock: clock)
    }

    func changes() -> sending any ChangeSignal {
      // udev speaks of this machine's devices, so a tree elsewhere can only be looked at again and again.
      if nodes.sysfs == HIDRaw.standard.sysfs, let monitor = UdevMonitor(nodes: nodes) { return monitor }
      return PollingSignal(milliseconds: pollInterval)
    }
  }

  /// Word of hidraw devices from udev, or from the kernel where no udev daemon runs.
  final class UdevMonitor: ChangeSignal {
    private let nodes: HIDRaw
    private let udev: OpaquePointer
    private let monitor: OpaquePointer
    private let descriptor: Int32

    /// Begins to listen; nil where the system has no such messages.
    init?(nodes: HIDRaw) {
      // The daemon's word comes after its rules have set the node's owner and mode, so it is the better one.
      let source = access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel"
      guard let udev = udev_new() else { return nil }
      guard let monitor = udev_monitor_new_from_netlink(udev, source) else {
        udev_unref(udev)
        return nil
      }
      let descriptor = udev_monitor_get_fd(monitor)
      guard udev_monitor_filter_add_match_subsystem_devtype(monitor, "hidraw", nil) >= 0,
        udev_monitor_enable_receiving(monitor) >= 0, descriptor >= 0
      else {
        udev_monitor_unref(monitor)
        udev_unref(udev)
        return nil
      }
      self.nodes = nodes
      self.udev = udev
      self.monitor = monitor
      self.descriptor = descriptor
    }

    deinit {
      udev_monitor_unref(monitor)
      udev_unref(udev)
    }

    func next(wake: Int32) -> Change {
      guard WakePipe.wait(for: descriptor, or: wake, milliseconds: 1000) else { return .nothing }
      errno = 0
      guard let device = udev_monitor_receive_device(monitor) else {
        // The kernel drops messages when too many wait; then only a scan tells.
        return errno == ENOBUFS ? .unknown : .nothing
      }
      defer { udev_device_unref(device) }
      guard let name = udev_device_get_sysname(device).map({ String(cString: $0) }) else { return .unknown }
      let isRemoval = udev_device_get_action(device).map { String(cString: $0) } == "remove"
      return isRemoval ? .absent(nodes.path(of: name)) : .present(nodes.path(of: name))
    }
  }
#endif
