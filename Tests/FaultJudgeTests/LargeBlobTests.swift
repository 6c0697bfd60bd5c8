import CBOR
import FIDOCrypto
import FaultJudge
import Octets
import Testing
import Timing
import VirtualKey

/// A large blob that was written beside those of others, to be spoilt in one place at a time.
@Suite("Judging a large blob that was written")
struct LargeBlobTests {
  private static let key = [UInt8](repeating: 9, count: 32)
  private static let words = "Lost. List the large blobs to find out."
  private static let others: [CBORValue] = [[1: .bytes([1]), 2: .bytes([2]), 3: 3], "of somebody"]
  /// "data", stored by DEFLATE as it is.
  private static let stored: [UInt8] = [1, 4, 0, 0xfb, 0xff] + Array("data".utf8)

  private static func array(_ elements: [CBORValue]) -> [UInt8] {
    let content = CBORValue.array(elements).encoded()
    return content + Digest.sha256(content).prefix(16)
  }

  private static func entry(_ bytes: [UInt8] = stored, size: UInt64 = 4) throws -> CBORValue {
    let nonce = [UInt8](repeating: 4, count: 12)
    let additional = Array("blob".utf8) + [UInt8(size), 0, 0, 0, 0, 0, 0, 0]
    let sealed = try AESGCM.seal(bytes, key: SecretBytes(key), nonce: nonce, additionalData: additional)
    return [1: .bytes(sealed), 2: .bytes(nonce), 3: .unsigned(size)]
  }

  private func verdict(_ arrays: [[UInt8]], _ outcome: HostReport.Outcome = .changed) -> Verdict {
    Judge.verdict(
      log: arrays.map { GoodRun.entry(.largeBlobsWritten($0)) },
      report: HostReport(outcome: outcome, typedPINs: 0, end: GoodRun.start),
      assignment: Assignment(
        task: .change(
          .largeBlob(
            Assignment.LargeBlobWrite(before: Self.array(Self.others), key: Self.key, data: Array("data".utf8)))),
        deadline: GoodRun.start + .seconds(1), overtime: .zero))
  }

  private func failure(mayBeChanged: Bool) -> HostReport.Outcome {
    .failure(
      HostReport.Failure(
        kind: "communication", text: Self.words, saysCredentialExists: false, saysChangeUncertain: mayBeChanged))
  }

  @Test("it is right with all of the others there, wherever it stands")
  func right() throws {
    for elements in [Self.others + [try Self.entry()], [try Self.entry()] + Self.others] {
      #expect(verdict([Self.array(elements)]) == Verdict(result: .right, violations: []))
    }
  }

  @Test("a success without it, with other data, or with it twice is none")
  func wrong() throws {
    let entry = try Self.entry()
    for elements in [
      Self.others, Self.others + [entry, entry], Self.others + [try Self.entry(Array(Self.stored.dropLast()), size: 3)],
    ] {
      #expect(verdict([Self.array(elements)]).violations == [.wrongSuccess("the key has other data")])
    }
    #expect(verdict([]).violations == [.wrongSuccess("the key has other data")])
  }

  @Test("an entry of another that is gone or changed is a loss, whatever the host says")
  func lost() throws {
    let entry = try Self.entry()
    let changed: CBORValue = [1: .bytes([1]), 2: .bytes([2]), 3: 4]
    for elements in [[entry], [Self.others[0], entry], [changed, Self.others[1], entry]] {
      for outcome in [.changed, failure(mayBeChanged: true)] as [HostReport.Outcome] {
        #expect(
          verdict([Self.array(elements)], outcome).violations.contains(.largeBlobLost("an entry of another is gone")))
      }
    }
    var damaged = Self.array(Self.others + [entry])
    damaged[3] ^= 1
    #expect(verdict([damaged]).violations.contains(.largeBlobLost("the array's hash is wrong")))
  }

  @Test("an error after a write has to say that something may be changed")
  func unreported() throws {
    let arrays = [Self.array(Self.others + [try Self.entry()])]
    #expect(verdict(arrays, failure(mayBeChanged: false)).violations == [.unreportedChange(Self.words)])
    #expect(verdict(arrays, failure(mayBeChanged: true)).violations.isEmpty)
    #expect(verdict([], failure(mayBeChanged: false)).violations.isEmpty)
  }
}
