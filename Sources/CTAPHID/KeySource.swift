/// A place where keys come from: those there now, and word of arrivals and removals.
public protocol KeySource: Sendable {
  /// The keys that are there now, in a stable order, the unusable ones too.
  func keys() throws(TransportError) -> [KeyDescription]

  /// Arrivals and removals from the moment of the call; ends when the consumer stops.
  ///
  /// A key that is there at the moment of the call is not announced.
  func events() -> AsyncStream<KeyEvent>

  /// A closed transport to a key, to be opened on the thread that will use it.
  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport
}

/// A key that came or went.
public enum KeyEvent: Hashable, Sendable {
  /// A key was plugged in.
  case arrived(KeyDescription)
  /// The key with this identifier was pulled out.
  case removed(String)
}

/// What is known of a key before it is opened.
public struct KeyDescription: Hashable, Sendable, Identifiable {
  /// The identifier: the node's path on Linux, `virtual` for the virtual key.
  public var id: String
  /// The USB vendor number.
  public var vendorID: UInt16
  /// The USB product number.
  public var productID: UInt16
  /// The vendor's name, as the key gives it.
  public var vendor: String?
  /// The product's name, as the key gives it.
  public var product: String?
  /// The serial number, as the key gives it.
  public var serialNumber: String?
  /// Why the key cannot be opened, or nil where it can.
  public var obstacle: KeyObstacle?
  /// Whether this is a virtual key, which protects nothing.
  public var isVirtual: Bool

  /// Creates a description.
  public init(
    id: String, vendorID: UInt16, productID: UInt16, vendor: String? = nil, product: String? = nil,
    serialNumber: String? = nil, obstacle: KeyObstacle? = nil, isVirtual: Bool = false
  ) {
    self.id = id
    self.vendorID = vendorID
    self.productID = productID
    self.vendor = vendor
    self.product = product
    self.serialNumber = serialNumber
    self.obstacle = obstacle
    self.isVirtual = isVirtual
  }
}

/// Why a key that is plugged in cannot be used.
public enum KeyObstacle: Hashable, Sendable {
  /// The user may not read and write the node; the udev rule would allow it.
  case permission
  /// The device's reports cannot carry CTAPHID.
  case unsuitable(String)
}
