// The virtual key for tests and demos: one import. It protects nothing, so an app that ships leaves this product out.

@_exported public import VirtualKey
@_exported public import VirtualKeyUSB
