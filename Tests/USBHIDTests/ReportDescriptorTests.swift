import CTAPHID
import Octets
import Testing

@testable import USBHID

@Suite("HID report descriptors")
struct ReportDescriptorTests {
  private func usable(_ input: Int, _ output: Int, _ inputID: UInt8? = nil, _ outputID: UInt8? = nil) -> FIDOVerdict {
    .usable(FIDOReports(sizes: ReportSizes(input: input, output: output), inputID: inputID, outputID: outputID))
  }

  @Test("the usual key has unnumbered reports of 64 bytes")
  func usualKey() {
    #expect(FIDOVerdict(descriptor: Descriptors.fido) == usable(64, 64))
  }

  @Test(
    "other devices are left alone",
    arguments: [
      Descriptors.mouse, Descriptors.keyboard, Descriptors.feitianOTP, Descriptors.multimedia, [],
    ])
  func others(descriptor: [UInt8]) {
    #expect(FIDOVerdict(descriptor: descriptor) == .notFIDO)
  }

  @Test(
    "other devices' descriptors are read to the end",
    arguments: [
      (Descriptors.mouse, [UInt32(0x0001_0002)], [32]),
      (Descriptors.keyboard, [0x0001_0006], [64, 8]),
      (Descriptors.multimedia, [0x0001_0080, 0x000C_0001, 0xFF00_0001], [8, 24, 16]),
    ])
  func readWhole(descriptor: [UInt8], usages: [UInt32], bits: [Int]) throws {
    let read = try ReportDescriptor(parsing: descriptor)
    #expect(read.collections.map(\.usage) == usages)
    #expect(read.collections.flatMap(\.reports).map(\.bits) == bits)
  }

  @Test("report sizes from 8 to 64 bytes are taken as they are", arguments: [8, 32, 63, 64])
  func sizes(count: UInt8) {
    #expect(FIDOVerdict(descriptor: Descriptors.fido(count: count)) == usable(Int(count), Int(count)))
  }

  @Test(
    "reports that cannot carry CTAPHID make a key unsuitable",
    arguments: [
      (Descriptors.fido(count: 7), "its input reports have 7 bytes, and CTAPHID needs 8 to 64"),
      (Descriptors.fido(count: 65), "its input reports have 65 bytes, and CTAPHID needs 8 to 64"),
      (hex("06d0f10901a101c0"), "it lacks an input or an output report"),
      (hex("06d0f10901a1010920750895408102c0"), "it lacks an input or an output report"),
      (
        hex("06d0f10901a10109207508954081020921750895079102c0"),
        "its output reports have 7 bytes, and CTAPHID needs 8 to 64"
      ),
      (Descriptors.fido + hex("05010906a101850175089508810291 02c0"), "its input reports are partly numbered"),
    ])
  func unsuitable(descriptor: [UInt8], reason: String) {
    #expect(FIDOVerdict(descriptor: descriptor) == .unsuitable(reason))
  }

  @Test("a report ID is not part of the payload")
  func numbered() {
    #expect(FIDOVerdict(descriptor: Descriptors.fido(count: 63, id: 7)) == usable(63, 63, 7, 7))
  }

  @Test("the FIDO collection is found behind a keyboard's")
  func composite() throws {
    #expect(FIDOVerdict(descriptor: Descriptors.composite) == usable(63, 63, 2, 2))
    let read = try ReportDescriptor(parsing: Descriptors.composite)
    #expect(read.collections.map(\.usage) == [0x0001_0006, 0xF1D0_0001])
    #expect(read.collections[0].reports.map(\.byteCount) == [7])
  }

  @Test(
    "a FIDO usage that names no top-level collection is not a key",
    arguments: [
      hex("05010906a10106d0f10901a10209207508954081020921754095409102c0c0"),  // inside a keyboard's collection
      hex("06d0f10902a1010920750895408102092175089540 9102c0"),  // another usage of the page
      hex("06d0f1a1010920750895408102092175089540 9102c0"),  // no usage
      hex("06d0f10903 0901a1010920750895408102092175089540 9102c0"),  // the first usage names the collection
      hex("06d0f1090181020901"),  // no collection
    ])
  func wrongPlace(descriptor: [UInt8]) {
    #expect(FIDOVerdict(descriptor: descriptor) == .notFIDO)
  }

  @Test(
    "every way to write the usage is understood",
    arguments: [
      hex("0b0100d0f1a101"),  // the page inside a long usage
      hex("0a010006d0f1a101"),  // a two-byte usage before its page
      hex("07d0f100000901a101"),  // a four-byte page
      hex("06d0f11901 2901a101"),  // a usage range
      hex("06d0f1a4 0501b4 0901a101"),  // the page saved and restored
    ])
  func spellings(head: [UInt8]) {
    let whole = head + hex("75089540810275089540 9102c0")
    #expect(FIDOVerdict(descriptor: whole) == usable(64, 64))
  }

  @Test("saved global items come back")
  func pushAndPop() {
    let descriptor = hex("06d0f1750895 40a40501 7501 9501b40901a1018102 9102c0")
    #expect(FIDOVerdict(descriptor: descriptor) == usable(64, 64))
  }

  @Test("a report of several fields is their sum, rounded up to bytes")
  func fields() {
    let descriptor = hex("06d0f10901a10175089520 8102 9520 8102 75089520 9102 75019504 9102c0")
    #expect(FIDOVerdict(descriptor: descriptor) == usable(64, 33))
  }

  @Test("long items and reserved items are stepped over")
  func longItems() {
    #expect(FIDOVerdict(descriptor: hex("fe0310aabbcc fe0000 0c") + Descriptors.fido) == usable(64, 64))
  }

  @Test(
    "a broken rule is named with its place",
    arguments: [
      (hex("06d0"), ReportDescriptorError.truncated(offset: 0, needed: 2, left: 1)),
      (hex("0901 07000000"), .truncated(offset: 2, needed: 4, left: 3)),
      (hex("fe"), .truncated(offset: 0, needed: 2, left: 0)),
      (hex("fe0510aa"), .truncated(offset: 0, needed: 5, left: 1)),
      (hex("c0"), .strayEndOfCollection(offset: 0)),
      (hex("a101a102c0"), .unclosedCollection(depth: 1)),
      (hex("a101 77ffffffff 97ffffffff 8102 c0"), .reportTooLarge(offset: 12)),
      (hex("a101 7508 960040 8102 8102 c0"), .reportTooLarge(offset: 9)),
      (hex("8500"), .badReportID(0, offset: 0)),
      (hex("860001"), .badReportID(256, offset: 0)),
      (hex("b4"), .badStack(offset: 0)),
      ([UInt8](repeating: 0xA4, count: 17), .badStack(offset: 16)),
      ([UInt8](repeating: 0x00, count: 4097), .tooLong(4097)),
    ])
  func broken(descriptor: [UInt8], error: ReportDescriptorError) {
    #expect(throws: error) { try ReportDescriptor(parsing: descriptor) }
  }

  @Test("a descriptor cut anywhere is refused and harms nothing")
  func cut() {
    for whole in [Descriptors.fido, Descriptors.composite, Descriptors.keyboard] {
      for length in 0..<whole.count {
        #expect(FIDOVerdict(descriptor: Array(whole[..<length])) == .notFIDO)
      }
    }
  }

  @Test("random bytes harm nothing")
  func random() {
    var state: UInt64 = 1
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<40 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(UInt8(truncatingIfNeeded: state >> 56))
      }
      _ = FIDOVerdict(descriptor: bytes)
      _ = FIDOVerdict(descriptor: Array(Descriptors.fido[..<7]) + bytes + [0xC0])
    }
  }
}

private func hex(_ text: String) -> [UInt8] {
  Hex.decode(text.filter { $0 != " " }) ?? []
}
