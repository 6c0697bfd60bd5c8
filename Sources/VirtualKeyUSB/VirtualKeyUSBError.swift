/// Why a virtual key cannot be shown to the kernel; the description is a sentence for people.
public enum VirtualKeyUSBError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no uhid device node at this path.
  case noUHID(path: String)
  /// There is no folder for USB gadgets at this path.
  case noGadgets(path: String)
  /// There is no USB device controller, or none that is free.
  case noController
  /// There is no USB device controller with this name.
  case unknownController(String)
  /// The USB device controller with this name has a gadget already.
  case controllerBusy(String)
  /// The kernel has as many HID gadgets as it can (four, in Linux 6.1).
  case noMoreGadgets
  /// The user may not open or change what is at this path.
  case denied(path: String)
  /// The kernel refused an operation, with its error number and words.
  case system(operation: String, path: String, code: Int32, message: String)

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .noUHID(let path):
      "The kernel has no \(path); load its module with: modprobe uhid."
    case .noGadgets(let path):
      "The kernel has no \(path); load its modules with: modprobe -a libcomposite usb_f_hid, and mount configfs."
    case .noController:
      "No USB device controller is free; one that is emulated comes with: modprobe dummy_hcd."
    case .unknownController(let name):
      "There is no USB device controller '\(name)'; those that there are: ls /sys/class/udc."
    case .controllerBusy(let name):
      "The USB device controller '\(name)' has a gadget already."
    case .noMoreGadgets:
      "The kernel has no room for another HID gadget; further keys can be shown with --uhid."
    case .denied(let path):
      "\(path) may not be used by this user; run the command as root."
    case .system(let operation, let path, let code, let message):
      "\(path): \(operation) failed: \(message) (error \(code))."
    }
  }
}
