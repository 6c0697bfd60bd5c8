#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The host of an origin: a domain or an address, in the URL standard's ASCII form.
enum HostName: Hashable, Sendable {
  case domain(String)
  case ipv4(String)
  case ipv6(String)

  /// The text between `//` and the port.
  var serialized: String {
    switch self {
    case .domain(let name), .ipv4(let name): name
    case .ipv6(let address): "[\(address)]"
    }
  }

  /// Reads a host as a person or a browser writes it, or says why it is none.
  init(parsing text: Substring) throws(HostNameProblem) {
    if text.first == "[" {
      guard text.last == "]", let address = Self.canonicalIPv6(text.dropFirst().dropLast()) else {
        throw .notAnAddress
      }
      self = .ipv6(address)
      return
    }
    guard let name = Self.asciiDomain(text) else { throw .notADomain }
    if Self.endsInNumber(name) {
      guard let address = Self.canonicalIPv4(name) else { throw .notAnAddress }
      self = .ipv4(address)
      return
    }
    self = .domain(name)
  }

  /// The ASCII form of a domain without a trailing dot, of 1 to 253 letters, digits, hyphens and underscores.
  static func asciiDomain(_ text: some StringProtocol) -> String? {
    guard !text.isEmpty, text.utf8.count <= 1024 else { return nil }
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    // Plain ASCII without punycode needs no conversion, and libidn2 would refuse underscores that the URL standard allows.
    let lower = text.lowercased()
    let needsConversion = !isASCII || lower.split(separator: ".").contains { $0.hasPrefix("xn--") }
    guard let name = needsConversion ? InternationalName.ascii(lower) : lower, name.utf8.count <= 253 else {
      return nil
    }
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      guard !label.isEmpty, label.utf8.count <= 63, label.utf8.allSatisfy(isDomainByte) else { return nil }
    }
    return name
  }

  private static func isDomainByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Whether the last label is a number, which makes the whole an IPv4 address or nothing (URL standard, host parsing).
  static func endsInNumber(_ name: String) -> Bool {
    guard let last = name.split(separator: ".").last else { return false }
    return last.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } || number(last) != nil
  }

  /// Dotted decimal from one to four numbers, each decimal, octal or hexadecimal (URL standard, IPv4 parser).
  private static func canonicalIPv4(_ name: String) -> String? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 4 else { return nil }
    var numbers: [UInt64] = []
    for part in parts {
      guard let value = number(part) else { return nil }
      numbers.append(value)
    }
    guard let last = numbers.popLast(), numbers.allSatisfy({ $0 <= 255 }) else { return nil }
    let free = 8 * (4 - numbers.count)
    guard last < UInt64(1) << UInt64(free) else { return nil }
    var address = last
    for (index, value) in numbers.enumerated() { address |= value << UInt64(24 - 8 * index) }
    return [24, 16, 8, 0].map { String(address >> UInt64($0) & 0xff) }.joined(separator: ".")
  }

  private static func number(_ text: Substring) -> UInt64? {
    if text.hasPrefix("0x") { return text.count == 2 ? 0 : UInt64(hexadecimal: text.dropFirst(2)) }
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return text.count > 1 && text.first == "0" ? UInt64(text.dropFirst(), radix: 8) : UInt64(text)
  }

  private static func canonicalIPv6(_ text: Substring) -> String? {
    var address = in6_addr()
    guard text.utf8.allSatisfy({ $0 != 0 }), inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: address) { Array($0) }
    let pieces = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    return compressed(pieces)
  }

  /// The pieces in hexadecimal, with the first longest run of at least two zeros replaced by `::` (URL standard).
  private static func compressed(_ pieces: [UInt16]) -> String {
    var best = 0..<0
    var start = 0
    while start < pieces.count {
      var end = start
      while end < pieces.count, pieces[end] == 0 { end += 1 }
      if end - start > max(best.count, 1) { best = start..<end }
      start = max(end, start + 1)
    }
    let texts = pieces.map { String($0, radix: 16) }
    guard !best.isEmpty else { return texts.joined(separator: ":") }
    return texts[..<best.lowerBound].joined(separator: ":") + "::" + texts[best.upperBound...].joined(separator: ":")
  }
}

/// Why a text is not a host.
enum HostNameProblem: Error, Hashable {
  case notADomain
  case notAnAddress
}

extension UInt64 {
  /// Reads hexadecimal digits alone, without a sign.
  fileprivate init?(hexadecimal text: Substring) {
    guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
    self.init(text, radix: 16)
  }
}
