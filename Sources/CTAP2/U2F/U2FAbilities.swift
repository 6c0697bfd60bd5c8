public import CTAPHID
public import CTAPMessages

extension KeySession {
  /// Asks a key of either kind what it can do: by getInfo, or, where it has no CTAP2, by the version of U2F.
  ///
  /// A key that claims CTAP2 in its INIT reply is never taken for a U2F one, whatever trouble there is at getInfo. One
  /// that claims none is asked both: some claim nothing at all, and some don't take a command well that they don't know.
  ///
  /// - Returns: what the key says of itself; of a U2F key its version alone, with AAGUID zero (CTAP 2.3 §10).
  /// - Throws: `notCTAP2` from a key that speaks neither.
  public func abilities(_ wait: Wait) throws(CTAP2Error) -> GetInfoResponse {
    let trouble: CTAP2Error
    do throws(CTAP2Error) {
      return try getInfo(wait)
    } catch {
      guard !capabilities.contains(.cbor), !capabilities.contains(.noMSG), error.mayMeanNoCTAP2 else { throw error }
      trouble = error
    }
    let version: String
    do throws(CTAP2Error) {
      version = try u2fVersion(wait)
    } catch {
      switch error {
      // The key has no U2F either, so the first trouble was about something else.
      case .notOffered, .u2f, .u2fMisfit: throw trouble
      default: throw error
      }
    }
    guard version == GetInfoResponse.u2fVersion else { throw trouble }
    speaksOnlyU2F = true
    return GetInfoResponse(versions: [version], aaguid: .zero)
  }

  /// Asks for the version of U2F, in practice `U2F_V2` (FIDO U2F Raw Message Formats 1.2 §6).
  public func u2fVersion(_ wait: Wait) throws(CTAP2Error) -> String {
    let outcome = try u2f(.version, repeatable: true, wait) { data throws(Unfit) in
      guard data.count <= 32, data.allSatisfy({ (0x20..<0x7f).contains($0) }) else { throw Unfit("it is no version") }
      return String(decoding: data, as: UTF8.self)
    }
    switch outcome {
    case .answer(let version): return version
    case .status(let status): throw .u2f(status, instruction: U2FInstruction.version)
    }
  }
}

extension GetInfoResponse {
  /// The version by which a key announces U2F.
  static let u2fVersion = "U2F_V2"
}

extension CTAP2Error {
  /// Whether a key may answer getInfo so because it does not know CTAP2.
  fileprivate var mayMeanNoCTAP2: Bool {
    switch self {
    case .notCTAP2, .misfit, .status, .hid(.errorFrame), .hid(.silent), .hid(.malformed): true
    default: false
    }
  }
}
