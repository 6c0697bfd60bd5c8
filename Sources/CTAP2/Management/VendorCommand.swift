public import CTAPHID

extension KeySession {
  /// The numbers of the commands that belong to vendors (CTAP 2.3 §11.2.9).
  public static let vendorCommands: ClosedRange<UInt8> = 0x40...0x7f

  /// Sends a command of the vendor's own, below CTAP2, and returns what the key answers as it is.
  ///
  /// What it does is between the caller and the vendor: it is sent once and never again, and no answer is refused.
  ///
  /// - Parameters:
  ///   - number: 0x40 to 0x7F, without the bit that marks an initial report.
  ///   - payload: what goes with it.
  ///   - wait: how long it may take.
  /// - Throws: `notOffered` for another number; `status(.invalidCommand, …)` never, because this is no CTAP2 command: a
  ///   key that does not know it answers with an ERROR frame, which is `hid(.errorFrame(.invalidCommand, …))`;
  ///   `changeUncertain` where the answer was lost.
  public func vendorCommand(_ number: UInt8, _ payload: [UInt8], _ wait: Wait) throws(CTAP2Error) -> [UInt8] {
    guard Self.vendorCommands.contains(number) else {
      throw .notOffered("a vendor's command under the number \(number), which is outside 64 to 127")
    }
    do throws(CTAPHIDError) {
      return try channel.exchange(
        CTAPHIDCommand(rawValue: number), payload, repeatable: false, resends: false, wait)
    } catch {
      switch error {
      case .errorFrame(.invalidCommand, _): throw .hid(error)
      case .errorFrame: throw .changeUncertain(.vendorCommand, cause: .hid(error))
      default: throw error.mayHaveBeenTaken ? .changeUncertain(.vendorCommand, cause: .hid(error)) : .hid(error)
      }
    }
  }
}
