import CBOR
import FIDOCrypto
import Octets

/// The bytes of a store's file: a map that names its form and carries the state with its hash.
enum StateFile {
  private static let format = "CTAPBridge virtual key"

  /// Why bytes are not a state.
  enum Problem: Error, Hashable {
    case corrupt(String)
    case newer(Int)
  }

  static func encode(_ state: VirtualKeyState) -> [UInt8] {
    let body = state.cbor().encoded()
    let file: CBORValue = [
      "format": .text(format), "version": .int(VirtualKeyState.version), "state": .bytes(body),
      "sha256": .bytes(Digest.sha256(body)),
    ]
    return file.encoded()
  }

  static func decode(_ bytes: [UInt8]) throws(Problem) -> VirtualKeyState {
    let file = try value(bytes, "the file").mapValue
    guard let file, file["format"]?.textValue == format, let version = file["version"]?.intValue,
      version > 0
    else {
      throw .corrupt("it does not say that it is one")
    }
    guard version <= VirtualKeyState.version else { throw .newer(version) }
    guard let body = file["state"]?.bytesValue, let hash = file["sha256"]?.bytesValue,
      ConstantTime.equal(Digest.sha256(body), hash)
    else { throw .corrupt("its hash does not fit its content") }
    do {
      return try VirtualKeyState(cbor: value(body, "the state"))
    } catch let error as StateFormatError {
      throw .corrupt("\(error.member) is not as it should be")
    } catch let error as Problem {
      throw error
    } catch {
      throw .corrupt("\(error)")
    }
  }

  private static func value(_ bytes: [UInt8], _ what: String) throws(Problem) -> CBORValue {
    do {
      return try CBORDecoder.decode(bytes, mode: .strict, limits: limits)
    } catch {
      throw .corrupt("\(what) is not CBOR: \(error)")
    }
  }

  // About 100,000 credentials, far more than any profile has room for.
  private static let limits = CBORLimits(items: 4_000_000, size: maximumSize)

  /// The most bytes that are read from a file.
  static let maximumSize = 64 << 20
}
