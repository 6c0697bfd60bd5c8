#if os(Linux)
  internal import CTAPHID
  internal import Glibc
  internal import Timing

  /// The kernel's hidraw nodes: what sysfs says of them, without opening one.
  struct HIDRaw: Sendable {
    /// Where sysfs is mounted.
    var sysfs: String
    /// Where the device nodes are.
    var devices: String

    /// The machine's own.
    static let standard = HIDRaw(sysfs: "/sys", devices: "/dev")

    /// The longest sysfs attribute: one page.
    private static let attributeLimit = 4096

    /// The node names, such as `hidraw0`, by number; none where the kernel has no hidraw.
    func names() throws(TransportError) -> [String] {
      guard let directory = opendir("\(sysfs)/class/hidraw") else {
        if errno == ENOENT { return [] }
        throw TransportError(operation: "opendir", path: "\(sysfs)/class/hidraw", code: errno)
      }
      defer { closedir(directory) }
      var numbers: [UInt32] = []
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let number = Self.number(of: name) { numbers.append(number) }
      }
      return numbers.sorted().map { "hidraw\($0)" }
    }

    /// The path of a node.
    func path(of name: String) -> String { "\(devices)/\(name)" }

    /// The name of the node at `path`, or nil where the path is not one of ours.
    func name(at path: String) -> String? {
      let prefix = devices + "/"
      guard path.hasPrefix(prefix) else { return nil }
      let name = String(path.dropFirst(prefix.count))
      return Self.number(of: name) == nil ? nil : name
    }

    /// The key behind a node, or nil where the node is gone or belongs to something else.
    func key(_ name: String) -> KeyDescription? {
      let verdict = verdict(name)
      guard verdict != .notFIDO else { return nil }
      let event = event(name)
      var key = KeyDescription(id: path(of: name), vendorID: event.vendor, productID: event.product)
      if attribute(name, "device/../../idVendor") != nil {
        // The HID device's parent is a USB interface, and that one's is the USB device with the strings.
        key.vendor = attribute(name, "device/../../manufacturer")
        key.product = attribute(name, "device/../../product")
        key.serialNumber = attribute(name, "device/../../serial")
      }
      if key.vendor == nil, key.product == nil { key.product = event.name }
      key.serialNumber = key.serialNumber ?? event.unique
      key.obstacle = obstacle(name, verdict)
      return key
    }

    /// Reads a node's report descriptor and judges it.
    func verdict(_ name: String) -> FIDOVerdict {
      let path = "\(sysfs)/class/hidraw/\(name)/device/report_descriptor"
      guard let file = try? OpenFile(path, flags: O_RDONLY),
        let bytes = try? file.contents(limit: ReportDescriptor.maximumLength)
      else { return .notFIDO }
      return FIDOVerdict(descriptor: bytes)
    }

    private func obstacle(_ name: String, _ verdict: FIDOVerdict) -> KeyObstacle? {
      if case .unsuitable(let reason) = verdict { return .unsuitable(reason) }
      let path = path(of: name)
      let (result, code) = retryingInterrupts { faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) }
      if result == 0 { return nil }
      return code == ENOENT ? .unsuitable("the node \(path) does not exist here") : .permission
    }

    /// The HID device's numbers and names from the kernel's `uevent` attribute.
    private func event(_ name: String) -> (vendor: UInt16, product: UInt16, name: String?, unique: String?) {
      var fields: [Substring: String] = [:]
      for line in (attribute(name, "device/uevent") ?? "").split(whereSeparator: \.isNewline) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, !parts[1].isEmpty { fields[parts[0]] = String(parts[1]) }
      }
      // HID_ID=bus:vendor:product, hexadecimal with four, eight and eight digits.
      let numbers = (fields["HID_ID"] ?? "").split(separator: ":").map { UInt32($0, radix: 16) }
      let vendor = numbers.count == 3 ? numbers[1] : nil
      let product = numbers.count == 3 ? numbers[2] : nil
      return (
        UInt16(truncatingIfNeeded: vendor ?? 0), UInt16(truncatingIfNeeded: product ?? 0), fields["HID_NAME"],
        fields["HID_UNIQ"]
      )
    }

    /// A text attribute without its line end, or nil where there is none or it is empty; bad UTF-8 is repaired.
    private func attribute(_ name: String, _ path: String) -> String? {
      guard let file = try? OpenFile("\(sysfs)/class/hidraw/\(name)/\(path)", flags: O_RDONLY),
        var bytes = try? file.contents(limit: Self.attributeLimit)
      else { return nil }
      while let last = bytes.last, last == 0x0A || last == 0 { bytes.removeLast() }
      return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func number(of name: String) -> UInt32? {
      guard name.hasPrefix("hidraw") else { return nil }
      let digits = name.dropFirst("hidraw".count)
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return UInt32(digits)
    }
  }

  /// The request that asks a hidraw node for its descriptor's size: `_IOR('H', 1, int)` of linux/hidraw.h.
  private let descriptorSizeRequest: UInt = 0x8004_4801

  extension NodeLock {
    /// Makes sure that the locked descriptor is a hidraw node.
    ///
    /// hidapi 0.13.1 asks the same when it opens, and uses freed memory where the answer is no.
    func requireHIDRaw() throws(TransportError) {
      var size: Int32 = 0
      let (result, code) = retryingInterrupts { ioctl(descriptor, descriptorSizeRequest, &size) }
      guard result < 0 else { return }
      throw code == ENODEV ? .unplugged : .unsuitable("it is not a hidraw node")
    }
  }

  extension USBTransport.Doors {
    /// The doors of a hidraw node, all by way of its name.
    static func hidraw(_ node: HIDRaw, name: String, clock: any MonotonicClock) -> Self {
      let path = node.path(of: name)
      return Self(
        reports: { () throws(TransportError) in
          switch node.verdict(name) {
          case .usable(let reports): return reports
          case .unsuitable(let reason): throw .unsuitable(reason)
          case .notFIDO: throw .notFound(path)
          }
        },
        lock: { (deadline, cancellation) throws(TransportError) in
          try NodeLock(path, deadline: deadline, cancellation: cancellation, clock: clock)
        },
        open: { (lock) throws(TransportError) in
          try lock?.requireHIDRaw()
          return try HIDAPIHandle(path: path)
        })
    }
  }
#endif
