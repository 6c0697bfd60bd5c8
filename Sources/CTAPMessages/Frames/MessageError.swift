public import CBOR

/// Why bytes or a CBOR value are not the message that they should be.
public struct MessageError: Error, Hashable, Sendable {
  /// The message, such as "getInfo response".
  public var message: String
  /// The path of the member, such as "algorithms[2].alg"; empty where the message as a whole is wrong.
  public var member: String
  /// The number that the member, or the one that it is in, has in the message; nil where keys are text.
  public var number: Int?
  /// What is wrong.
  public var problem: Problem

  /// What can be wrong with a message or a member.
  public enum Problem: Hashable, Sendable {
    /// A required member is not there.
    case missing
    /// A member has another CBOR type than the specification gives it.
    case wrongType(expected: String, found: String)
    /// A member has the right type and a value that it cannot have.
    case wrongValue(expected: String, found: String)
    /// The frame has not even a first byte.
    case empty
    /// The bytes are not one well-formed CBOR item.
    case notCBOR(CBORError)
    /// The bytes end too early.
    case truncated(needed: Int, remaining: Int)
    /// Bytes follow where the message should end.
    case trailingBytes(Int)
  }

  /// Creates an error about a message, or about one member of it.
  public init(message: String, member: String = "", number: Int? = nil, problem: Problem) {
    self.message = message
    self.member = member
    self.number = number
    self.problem = problem
  }

  /// The status that a key answers a request with when it is wrong in this way (CTAP 2.3 §8.2).
  public var status: CTAPStatus {
    switch problem {
    case .missing: .missingParameter
    case .wrongType: .cborUnexpectedType
    case .wrongValue: .invalidParameter
    case .empty, .truncated, .trailingBytes: .invalidLength
    case .notCBOR: .invalidCBOR
    }
  }

  /// The same problem, seen from the message that holds this one as the member `key`.
  func inside(_ message: String, _ key: MemberKey) -> MessageError {
    MessageError(
      message: message, member: key.name + (member.isEmpty || member.hasPrefix("[") ? member : "." + member),
      number: key.number ?? number, problem: problem)
  }

  /// The same problem, seen from the list that holds this message at `index`.
  func at(_ index: Int) -> MessageError {
    var error = self
    error.member = "[\(index)]" + (member.isEmpty || member.hasPrefix("[") ? member : "." + member)
    return error
  }
}

extension MessageError: CustomStringConvertible {
  /// One line such as "getInfo response, versions (0x01): expected array, found map".
  public var description: String {
    var place = message
    if !member.isEmpty { place += ", " + member }
    if let number { place += " (" + hex(number) + ")" }
    return place + ": " + problem.description
  }

  private func hex(_ number: Int) -> String {
    let digits = String(number.magnitude, radix: 16)
    return (number < 0 ? "-0x" : "0x") + (digits.count < 2 ? "0" : "") + digits
  }
}

extension MessageError.Problem: CustomStringConvertible {
  /// The problem in words.
  public var description: String {
    switch self {
    case .missing: "missing"
    case .wrongType(let expected, let found), .wrongValue(let expected, let found):
      "expected \(expected), found \(found)"
    case .empty: "no bytes at all"
    case .notCBOR(let error): "not valid CBOR (\(error))"
    case .truncated(let needed, let remaining): "expected \(needed) bytes, found \(remaining)"
    case .trailingBytes(let count): "\(count) bytes follow the end"
    }
  }
}
