import CBOR
import CCBOR

/// What libcbor's tree decoder makes of an input.
enum LibraryTree {
  static func load(_ input: [UInt8]) -> (value: CBORValue?, end: Int)? {
    var result = cbor_load_result()
    var item = cbor_load(input, input.count, &result)
    guard let root = item else { return nil }
    defer { cbor_decref(&item) }
    return (value(root), result.read)
  }

  private static func value(_ item: UnsafeMutablePointer<cbor_item_t>) -> CBORValue? {
    switch cbor_typeof(item) {
    case CBOR_TYPE_UINT: return .unsigned(cbor_get_int(item))
    case CBOR_TYPE_NEGINT: return .negative(cbor_get_int(item))
    case CBOR_TYPE_BYTESTRING:
      return .bytes(
        Array(
          UnsafeBufferPointer(
            start: cbor_bytestring_handle(item), count: cbor_bytestring_length(item))))
    case CBOR_TYPE_STRING:
      let content = UnsafeBufferPointer(
        start: cbor_string_handle(item), count: cbor_string_length(item))
      return .text(String(decoding: content, as: UTF8.self))
    case CBOR_TYPE_ARRAY:
      let elements = UnsafeBufferPointer(
        start: cbor_array_handle(item), count: cbor_array_size(item))
      return .array(elements.compactMap { $0.flatMap(value) })
    case CBOR_TYPE_MAP:
      let pairs = UnsafeBufferPointer(start: cbor_map_handle(item), count: cbor_map_size(item))
      return .map(
        CBORMap(
          pairs.compactMap { pair in
            value(pair.key).flatMap { key in value(pair.value).map { (key, $0) } }
          }))
    case CBOR_TYPE_TAG:
      var content = cbor_tag_item(item)
      defer { cbor_decref(&content) }
      return content.flatMap(value).map { .tagged(cbor_tag_value(item), $0) }
    default:
      guard cbor_float_ctrl_is_ctrl(item) else { return .float(cbor_float_get_float(item)) }
      switch cbor_ctrl_value(item) {
      case 20: return false
      case 21: return true
      case 22: return .null
      case 23: return .undefined
      default: return nil
      }
    }
  }
}
