import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of another process, as a debugger of the same user reads it (Linux).
struct ForeignMemory {
  let pid: pid_t

  /// Whether this machine lets a parent read its child's memory.
  static let isReadable: Bool = {
    var child = pid_t()
    guard let word = strdup("sleep"), let time = strdup("60") else { return false }
    defer {
      free(word)
      free(time)
    }
    guard posix_spawnp(&child, "sleep", nil, nil, [word, time, nil], nil) == 0 else { return false }
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    return !ForeignMemory(pid: child).regions.isEmpty && open("/proc/\(child)/mem", O_RDONLY) >= 0
  }()

  /// What may have been written to: heap, stacks, the programs' variables.
  var regions: [Range<UInt64>] {
    guard let map = try? String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8) else { return [] }
    return map.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      // The shadow of a sanitizer has terabytes.
      guard words[1].hasPrefix("rw"), ends.count == 2, ends[1] - ends[0] < 1 << 30 else { return nil }
      return ends[0]..<ends[1]
    }
  }

  /// Where each needle is found, by its name; throws where nothing can be read.
  func search(_ needles: [(name: String, bytes: [UInt8])]) throws -> [String] {
    let memory = open("/proc/\(pid)/mem", O_RDONLY)
    guard memory >= 0 else { throw SystemCallFailed.last("open mem") }
    defer { close(memory) }
    var found: [String] = []
    var total = 0
    for region in regions {
      // A region may be large and mostly untouched; it is read in pieces that overlap by more than a needle has.
      var start = region.lowerBound
      while start < region.upperBound {
        let count = Int(min(region.upperBound - start, 1 << 20))
        var piece = [UInt8](repeating: 0, count: count)
        let read = pread(memory, &piece, count, off_t(start))
        if read > 0 {
          total += read
          for needle in needles {
            piece.withUnsafeBytes { bytes in
              guard let offset = Self.offset(of: needle.bytes, in: UnsafeRawBufferPointer(rebasing: bytes[..<read]))
              else { return }
              found.append("\(needle.name) at \(String(start + UInt64(offset), radix: 16))")
            }
          }
        }
        start += UInt64(count) == 1 << 20 ? (1 << 20) - 256 : UInt64(count)
      }
    }
    guard total > 0 else { throw SystemCallFailed.last("read mem") }
    return found
  }

  private static func offset(of needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let first = needle.first else { return nil }
    var position = 0
    while position + needle.count <= bytes.count {
      guard let hit = memchr(base + position, Int32(first), bytes.count - position - needle.count + 1) else {
        return nil
      }
      position = UnsafeRawPointer(hit) - base
      if memcmp(base + position, needle, needle.count) == 0 { return position }
      position += 1
    }
    return nil
  }
}
