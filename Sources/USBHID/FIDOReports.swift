internal import CTAPHID

/// How CTAPHID's reports travel on a HID node: sizes and report IDs (CTAP 2.2 §11.2.8.1).
struct FIDOReports: Hashable, Sendable {
  /// The payload sizes in bytes.
  let sizes: ReportSizes
  /// The ID in front of each report read, or nil where input reports are not numbered.
  let inputID: UInt8?
  /// The ID in front of each report written, or nil where output reports are not numbered.
  let outputID: UInt8?

  /// The form of nearly every key: 64 bytes each way, not numbered.
  static let standard = FIDOReports(sizes: .standard, inputID: nil, outputID: nil)

  /// The usage of CTAPHID's collection: page 0xF1D0, usage 1.
  static let usage: UInt32 = 0xF1D0_0001

  init(sizes: ReportSizes, inputID: UInt8?, outputID: UInt8?) {
    self.sizes = sizes
    self.inputID = inputID
    self.outputID = outputID
  }
}

/// What a node's report descriptor says about CTAPHID.
enum FIDOVerdict: Hashable, Sendable {
  /// The node belongs to another function, or its descriptor cannot be read: it is left alone.
  case notFIDO
  /// The node is a key's and can be used.
  case usable(FIDOReports)
  /// The node is a key's and its reports cannot carry CTAPHID, for this reason.
  case unsuitable(String)

  /// Judges a node by its report descriptor, never by its vendor.
  init(descriptor bytes: [UInt8]) {
    guard let descriptor = try? ReportDescriptor(parsing: bytes),
      let collection = descriptor.collections.first(where: { $0.usage == FIDOReports.usage })
    else {
      self = .notFIDO
      return
    }
    guard let input = collection.reports.first(where: { $0.kind == .input }),
      let output = collection.reports.first(where: { $0.kind == .output })
    else {
      self = .unsuitable("it lacks an input or an output report")
      return
    }
    for (name, report) in [("input", input), ("output", output)] {
      guard (8...64).contains(report.byteCount) else {
        self = .unsuitable("its \(name) reports have \(report.byteCount) bytes, and CTAPHID needs 8 to 64")
        return
      }
      guard report.id != 0 || !descriptor.isNumbered(report.kind) else {
        self = .unsuitable("its \(name) reports are partly numbered")
        return
      }
    }
    self = .usable(
      FIDOReports(
        sizes: ReportSizes(input: input.byteCount, output: output.byteCount),
        inputID: input.id == 0 ? nil : input.id, outputID: output.id == 0 ? nil : output.id))
  }
}
