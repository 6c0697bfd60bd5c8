import Octets
import Testing

@Suite("Secrets")
struct SecretBytesTests {
  private static let marker: [UInt8] = Array("correct horse".utf8)

  @Test("a secret holds a copy of its bytes")
  func content() {
    let secret = SecretBytes(Self.marker)
    #expect(secret.count == 13)
    #expect(secret.exposed() == Self.marker)
    #expect(secret.withBytes { Array($0) } == Self.marker)
    #expect(SecretBytes(Self.marker[2..<5]).exposed() == Array(Self.marker[2..<5]))
  }

  @Test("taking bytes leaves none in the caller's array")
  func taking() {
    var bytes = Self.marker
    let secret = SecretBytes(taking: &bytes)
    #expect(bytes.isEmpty)
    #expect(secret.exposed() == Self.marker)
  }

  @Test("wiping overwrites an array in its place")
  func wiping() {
    // Not the shared marker, which would be copied first.
    var bytes = Array("correct horse".utf8)
    let address = bytes.withUnsafeBytes { $0.baseAddress }
    bytes.wipe()
    #expect(bytes == [UInt8](repeating: 0, count: 13))
    #expect(bytes.withUnsafeBytes { $0.baseAddress } == address)
    var empty: [UInt8] = []
    empty.wipe()
    #expect(empty.isEmpty)
  }

  @Test("wiping a shared array leaves the other copy alone")
  func wipingShared() {
    let original = Self.marker
    var copy = original
    copy.wipe()
    #expect(original == Self.marker)
  }

  @Test("an exposed copy is the caller's: changing it changes no secret")
  func exposedIsACopy() {
    let secret = SecretBytes(Self.marker)
    var copy = secret.exposed()
    copy.wipe()
    #expect(secret.exposed() == Self.marker)
  }

  @Test("a buffer is zero before it is filled")
  func filling() {
    let secret = SecretBytes(count: 4) { buffer in
      #expect(Array(buffer) == [0, 0, 0, 0])
      buffer[1] = 7
    }
    #expect(secret.exposed() == [0, 7, 0, 0])
  }

  @Test("an error while filling comes through, and the buffer is wiped first")
  func fillingFails() {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try SecretBytes(count: 4) { buffer in
        buffer[0] = 1
        throw Refused()
      }
    }
  }

  @Test("a part is a secret of its own, and a range outside has none")
  func slices() {
    let secret = SecretBytes(Self.marker)
    #expect(secret.slice(0..<7)?.exposed() == Array(Self.marker[..<7]))
    #expect(secret.slice(8..<13)?.exposed() == Array(Self.marker[8...]))
    #expect(secret.slice(0..<13)?.exposed() == Self.marker)
    #expect(secret.slice(13..<13)?.count == 0)
    #expect(secret.slice(5..<14) == nil)
    #expect(secret.slice(14..<14) == nil)
    #expect(secret.slice(-1..<2) == nil)
    #expect(secret.slice(0..<Int.max) == nil)
    #expect(secret.slice(Int.min..<0) == nil)
  }

  @Test("a part outlives the whole")
  func sliceOutlives() {
    var whole: SecretBytes? = SecretBytes(Self.marker)
    let part = whole?.slice(0..<7)
    whole = nil
    #expect(part?.exposed() == Array("correct".utf8))
  }

  @Test("an empty secret works like any other")
  func empty() {
    let secret = SecretBytes([])
    #expect(secret.count == 0)
    #expect(secret.exposed().isEmpty)
    #expect(secret.slice(0..<0)?.count == 0)
    #expect(ConstantTime.equal(secret, SecretBytes([])))
  }

  @Test("no way of printing shows the content")
  func printing() {
    let secret = SecretBytes(Self.marker)
    var dumped = ""
    dump(secret, to: &dumped)
    var wrapped = ""
    dump(["key": (1, Optional(secret))], to: &wrapped)
    let shown = [
      "\(secret)", String(describing: secret), String(reflecting: secret), dumped, wrapped,
      "\([secret])",
      "\(Optional(secret) as Any)",
    ]
    for text in shown {
      #expect(text.contains("<secret of 13 bytes>") || text.contains("SecretBytes"))
      #expect(!text.contains("correct"))
      #expect(!text.contains("99, 111"))
      #expect(!text.contains("0x"))
    }
    #expect(Mirror(reflecting: secret).children.isEmpty)
    #expect("\(secret)" == "<secret of 13 bytes>")
  }

  @Test(
    "equality looks at all bytes and at the length",
    arguments: [
      ([], [], true), ([1], [1], true), ([1], [2], false), ([1], [], false),
      ([1, 2, 3], [1, 2, 3], true),
      ([0, 2, 3], [1, 2, 3], false), ([1, 2, 3], [1, 2, 0x83], false), ([1, 2], [1, 2, 0], false),
    ] as [([UInt8], [UInt8], Bool)])
  func constantTime(_ one: [UInt8], _ other: [UInt8], _ equal: Bool) {
    #expect(ConstantTime.equal(one, other) == equal)
    #expect(ConstantTime.equal(other[...], one) == equal)
    #expect(ConstantTime.equal(SecretBytes(one), SecretBytes(other)) == equal)
  }
}
