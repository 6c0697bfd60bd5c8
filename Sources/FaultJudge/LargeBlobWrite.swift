internal import CBOR
internal import FIDOCrypto
internal import Octets
internal import RawDeflate
internal import VirtualKey

extension Assignment {
  /// A large blob that is to be written into an array with those of others.
  public struct LargeBlobWrite: Hashable, Sendable {
    /// The array as the key has it before, with its hash.
    public var before: [UInt8]
    /// The credential's large-blob key, 32 bytes.
    public var key: [UInt8]
    /// The data.
    public var data: [UInt8]

    /// Creates a task.
    public init(before: [UInt8], key: [UInt8], data: [UInt8]) {
      self.before = before
      self.key = key
      self.data = data
    }
  }
}

/// A large-blob array, taken apart.
struct LargeBlobContent {
  let elements: [CBORValue]

  init(_ array: [UInt8]) throws(ResponseFault) {
    let content = Array(array.dropLast(16))
    guard array.suffix(16).elementsEqual(Digest.sha256(content).prefix(16)) else {
      throw ResponseFault("the array's hash is wrong")
    }
    guard let elements = try? CBORDecoder.decode(content, mode: .strict).arrayValue else {
      throw ResponseFault("the array is none")
    }
    self.elements = elements
  }

  /// The data of the entries that a key opens.
  func data(under key: [UInt8]) -> [[UInt8]] {
    elements.compactMap { element in
      guard let entry = element.mapValue, let sealed = entry[1]?.bytesValue, let nonce = entry[2]?.bytesValue,
        case .unsigned(let size)? = entry[3]
      else { return nil }
      let additional = Array("blob".utf8) + (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * UInt64($0))) }
      let opened = try? AESGCM.open(sealed, key: SecretBytes(key), nonce: nonce, additionalData: additional)
      return opened.flatMap { try? Deflate.expand($0, limit: Int(clamping: size)) }
    }
  }
}

extension Judge {
  /// The large-blob arrays that the key took, in order.
  private var arrays: [[UInt8]] {
    log.compactMap { if case .largeBlobsWritten(let array) = $0.event { array } else { nil } }
  }

  /// Why a large blob that is said to be written is not, or nil.
  func fault(of task: Assignment.LargeBlobWrite) -> String? {
    do throws(ResponseFault) {
      let content = try LargeBlobContent(arrays.last ?? task.before)
      return content.data(under: task.key) == [task.data] ? nil : "the key has other data"
    } catch {
      return error.reason
    }
  }

  /// What of others is missing in any array that the key took.
  var losses: [Verdict.Violation] {
    guard case .change(.largeBlob(let task)) = assignment.task else { return [] }
    return arrays.compactMap { array in
      do throws(ResponseFault) {
        let others = try LargeBlobContent(task.before).elements
        let content = try LargeBlobContent(array)
        return others.allSatisfy(content.elements.contains) ? nil : .largeBlobLost("an entry of another is gone")
      } catch {
        return .largeBlobLost(error.reason)
      }
    }
  }
}
