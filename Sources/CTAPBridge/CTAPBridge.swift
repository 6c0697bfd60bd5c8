// One import for an app: the client, its extensions, keys on USB, and the values that their interfaces are made of.

@_exported public import CBOR
@_exported public import CTAPHID
@_exported public import CTAPMessages
@_exported public import JSONText
@_exported public import Octets
@_exported public import ThalesExtensions
@_exported public import Timing
@_exported public import USBHID
@_exported public import WebAuthnClient

extension SecurityKeyClient {
  /// The standard extensions and the Thales three, in the order of their outputs.
  public static var bridgeExtensions: [any ClientExtension] { StandardExtensions.all + ThalesClientExtensions.all }
}
