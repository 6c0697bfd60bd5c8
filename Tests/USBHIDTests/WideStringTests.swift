import Testing

@testable import USBHID

@Suite("Wide strings")
struct WideStringTests {
  @Test(
    "characters are kept and values that are none are replaced",
    arguments: [
      ([0x4B, 0xE9, 0x1F511, 0], "Ké🔑"), ([0x41, 0xD800, 0x11_0000, -1, 0x42, 0], "A\u{FFFD}\u{FFFD}\u{FFFD}B"),
      ([0], ""), ([0x202E, 0x1B, 0], "\u{202E}\u{1B}"),
    ] as [([Int32], String)])
  func decoded(characters: [Int32], text: String) {
    #expect(String(wide: characters) == text)
  }

  @Test("no string is no string")
  func none() {
    let nothing: UnsafePointer<Int32>? = nil
    #expect(String(wide: nothing) == nil)
  }

  @Test("an endless string is cut")
  func endless() {
    #expect(String(wide: [Int32](repeating: 0x41, count: 2000))?.count == 1024)
  }
}
