internal import CCBOR

/// What libcbor reports about one item: its head, and for strings where the content lies.
enum CBORHead {
  case unsigned(UInt64)
  case negative(UInt64)
  case bytes(UnsafeBufferPointer<UInt8>)
  case text(UnsafeBufferPointer<UInt8>)
  case array(UInt64)
  case map(UInt64)
  case tag(UInt64)
  case bool(Bool)
  case null
  case undefined
  case simple(UInt8)
  case float(Double)
  /// A form that the checks in front of libcbor refuse, so that it is never reported.
  case none

  /// Reads one head with libcbor's streaming decoder, which allocates nothing.
  ///
  /// Returns the number of bytes read, which for strings includes the content; zero where bytes are missing; nil where
  /// libcbor refuses the input.
  static func read(_ input: UnsafeBufferPointer<UInt8>, into head: inout CBORHead) -> Int? {
    var callbacks = callbacks
    let result = cbor_stream_decode(input.baseAddress, input.count, &callbacks, &head)
    switch result.status {
    case CBOR_DECODER_FINISHED: return result.read
    case CBOR_DECODER_NEDATA: return 0
    default: return nil
    }
  }

  /// The argument that the shortest form of the initial byte would have to carry, where there is one.
  var argument: UInt64? {
    switch self {
    case .unsigned(let value), .negative(let value), .array(let value), .map(let value), .tag(let value): value
    case .bytes(let content), .text(let content): UInt64(content.count)
    default: nil
    }
  }

  private static func store(_ head: CBORHead, _ context: UnsafeMutableRawPointer?) {
    context?.assumingMemoryBound(to: CBORHead.self).pointee = head
  }

  /// The count that an input claims; `size_t` arrives as a signed number, which a large claim makes negative.
  private static func claim(_ count: Int) -> UInt64 { UInt64(UInt(bitPattern: count)) }

  private static let callbacks = cbor_callbacks(
    uint8: { store(.unsigned(UInt64($1)), $0) },
    uint16: { store(.unsigned(UInt64($1)), $0) },
    uint32: { store(.unsigned(UInt64($1)), $0) },
    uint64: { store(.unsigned($1), $0) },
    negint64: { store(.negative($1), $0) },
    negint32: { store(.negative(UInt64($1)), $0) },
    negint16: { store(.negative(UInt64($1)), $0) },
    negint8: { store(.negative(UInt64($1)), $0) },
    byte_string_start: { store(.none, $0) },
    byte_string: { store(.bytes(UnsafeBufferPointer(start: $1, count: $2)), $0) },
    string: { store(.text(UnsafeBufferPointer(start: $1, count: $2)), $0) },
    string_start: { store(.none, $0) },
    indef_array_start: { store(.none, $0) },
    array_start: { store(.array(claim($1)), $0) },
    indef_map_start: { store(.none, $0) },
    map_start: { store(.map(claim($1)), $0) },
    tag: { store(.tag($1), $0) },
    float2: { store(.float(Double($1)), $0) },
    float4: { store(.float(Double($1)), $0) },
    float8: { store(.float($1), $0) },
    undefined: { store(.undefined, $0) },
    null: { store(.null, $0) },
    boolean: { store(.bool($1), $0) },
    indef_break: { store(.none, $0) })
}
