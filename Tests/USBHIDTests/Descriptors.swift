import Octets

/// Report descriptors as devices and specifications publish them.
enum Descriptors {
  /// The descriptor of Feitian, Token2 and many other keys; also in the tests of python-fido2 and webauthn-rs.
  static let fido = bytes("06d0f10901a1010920150026ff007508954081020921150026ff00750895409102c0")
  /// A mouse, from python-fido2's tests.
  static let mouse = bytes(
    "05010902a1010901a10005091901290515002501950575018102950175038101"
      + "05010930093109381581257f750895038106c0c0")
  /// The boot keyboard of HID 1.11 appendix E.6.
  static let keyboard = bytes(
    "05010906a101050719e029e7150025017501950881029501750881019505750105081901290591029501750391019506750815002565"
      + "0507190029658100c0")
  /// A Feitian key's one-time-password keyboard, from webauthn-rs's tests.
  static let feitianOTP = bytes(
    "05010906a101050719e029e71500250175019508810295017508810395057501050819012905910295017503910395067508150025"
      + "650507190029658100090375089540b102c0")
  /// A receiver with several numbered collections, from webauthn-rs's tests.
  static let multimedia = bytes(
    "0601000980a10185011981298315002501950375018102950175058101c0050c0901a1018503150025017501950819b529b809cd09"
      + "e209e909ea81020a83010a8a010a92010a94010a21021a23022a250281020a26020a27020a2a029503810295058101c00600ff0901"
      + "a1018502250115007501950b1af1002afb008102950175058101150026ff7f092075109501b102c0")

  /// A FIDO collection of `count`-byte reports, numbered where `id` is given.
  static func fido(count: UInt8, id: UInt8? = nil) -> [UInt8] {
    bytes("06d0f10901a101") + (id.map { [0x85, $0] } ?? [])
      + bytes("0920150026ff007508") + [0x95, count] + bytes("81020921150026ff007508") + [0x95, count] + bytes("9102c0")
  }

  /// A numbered keyboard (ID 1) and a numbered FIDO collection (ID 2) behind one interface.
  static let composite =
    bytes("05010906a1018501050719e029e71500250175019508810295067508") + bytes("8100c0")
    + fido(count: 63, id: 2)

  private static func bytes(_ hex: String) -> [UInt8] { Hex.decode(hex) ?? [] }
}
