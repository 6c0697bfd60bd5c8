import CTAPMessages
import Testing

@Suite("AAGUIDs")
struct AAGUIDTests {
  @Test("text in either case, with hyphens or without, is the same AAGUID")
  func parsing() throws {
    let bytes = hex("f8a011f38c0a4d15800617111f9edc7d")
    let aaguid = try #require(AAGUID(bytes))
    #expect(AAGUID("f8a011f3-8c0a-4d15-8006-17111f9edc7d") == aaguid)
    #expect(AAGUID("F8A011F3-8C0A-4D15-8006-17111F9EDC7D") == aaguid)
    #expect(AAGUID("f8a011f38c0a4d15800617111f9edc7d") == aaguid)
    #expect(aaguid.description == "f8a011f3-8c0a-4d15-8006-17111f9edc7d")
    #expect(aaguid.bytes == bytes)
    #expect(!aaguid.isZero)
  }

  @Test(
    "other text is none",
    arguments: [
      "", "f8a011f3", "f8a011f3-8c0a-4d15-8006-17111f9edc7", "f8a011f3-8c0a-4d15-8006-17111f9edc7dd",
      "f8a011f38c0a-4d15-8006-17111f9edc7d", "g8a011f3-8c0a-4d15-8006-17111f9edc7d",
      "{f8a011f3-8c0a-4d15-8006-17111f9edc7d}", "f8a011f3-8c0a-4d15-8006-17111f9edc7d-",
      "ä8a011f3-8c0a-4d15-8006-17111f9edc7",
      "f8a011f3 8c0a 4d15 8006 17111f9edc7d", "-f8a011f38c0a4d15800617111f9edc7d",
    ])
  func malformed(text: String) {
    #expect(AAGUID(text) == nil)
  }

  @Test("it has 16 bytes", arguments: [0, 15, 17, 32])
  func length(count: Int) {
    #expect(AAGUID([UInt8](repeating: 0, count: count)) == nil)
  }

  @Test("sixteen zero bytes name no model")
  func zero() {
    #expect(AAGUID.zero.isZero)
    #expect(AAGUID.zero.description == "00000000-0000-0000-0000-000000000000")
    #expect(AAGUID([UInt8](repeating: 0, count: 16)) == .zero)
  }
}
