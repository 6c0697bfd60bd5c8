#if canImport(Darwin)
  internal import CHIDAPI
  internal import CTAPHID
  internal import Timing

  /// Keys by way of hidapi's own enumeration, for systems without hidraw.
  ///
  /// hidapi opens a key exclusively here, which serves as the lock, and tells no report sizes: 64 bytes are assumed.
  struct DarwinPlatform: USBPlatform {
    func keys() throws(TransportError) -> [KeyDescription] {
      HIDAPIHandle.enumerate().filter { $0.usage == FIDOReports.usage }.map(\.key)
    }

    func key(_ id: String) -> KeyDescription? {
      (try? keys())?.first { $0.id == id }
    }

    func doors(of id: String, clock: any MonotonicClock) throws(TransportError) -> sending USBTransport.Doors {
      guard key(id) != nil else { throw .notFound(id) }
      return USBTransport.Doors(
        reports: { () throws(TransportError) in .standard },
        lock: { (_, _) throws(TransportError) in nil },
        open: { (_) throws(TransportError) in try HIDAPIHandle(path: id) })
    }

    func changes() -> sending any ChangeSignal { PollingSignal(milliseconds: 500) }
  }

  extension HIDAPIHandle {
    /// Every HID device that hidapi sees, with its top-level usage.
    static func enumerate() -> [(usage: UInt32, key: KeyDescription)] {
      opening.withLock { _ in
        guard let list = hid_enumerate(0, 0) else { return [] }
        defer { hid_free_enumeration(list) }
        var found: [(usage: UInt32, key: KeyDescription)] = []
        var next: UnsafeMutablePointer<hid_device_info>? = list
        while let device = next?.pointee {
          next = device.next
          guard let path = device.path else { continue }
          let key = KeyDescription(
            id: String(cString: path), vendorID: device.vendor_id, productID: device.product_id,
            vendor: String(wide: device.manufacturer_string), product: String(wide: device.product_string),
            serialNumber: String(wide: device.serial_number))
          found.append((UInt32(device.usage_page) << 16 | UInt32(device.usage), key))
        }
        return found
      }
    }
  }
#endif
