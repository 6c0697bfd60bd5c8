internal import CAllocator

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What this process holds at one moment.
struct ProcessFigures: Equatable {
  /// Pages in memory, in KiB.
  var resident: Int
  /// Bytes that were allocated and not given back.
  var heap: Int
  /// Open file descriptors.
  var descriptors: Int
  /// Threads.
  var threads: Int

  init(resident: Int, heap: Int, descriptors: Int, threads: Int) {
    self.resident = resident
    self.heap = heap
    self.descriptors = descriptors
    self.threads = threads
  }

  #if os(Linux)
    /// Measures; nil where the system does not tell.
    ///
    /// A key's thread may end a moment after its work, so the fewest threads of some moments count.
    static func measure() -> ProcessFigures? {
      guard let text = contents(of: "/proc/self/statm"),
        let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
        let descriptors = entries(of: "/proc/self/fd"), var threads = entries(of: "/proc/self/task")
      else { return nil }
      for _ in 0..<20 {
        usleep(1000)
        threads = min(threads, entries(of: "/proc/self/task") ?? threads)
      }
      return ProcessFigures(
        resident: pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024, heap: Int(allocated_bytes()),
        // The listing itself has one open.
        descriptors: descriptors - 1, threads: threads)
    }

    private static func contents(of path: String) -> String? {
      guard let file = fopen(path, "r") else { return nil }
      defer { fclose(file) }
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = fread(&buffer, 1, buffer.count, file)
      return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    private static func entries(of path: String) -> Int? {
      guard let directory = opendir(path) else { return nil }
      defer { closedir(directory) }
      var count = 0
      while let entry = readdir(directory) {
        if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
      }
      return count
    }
  #else
    /// Nothing is measured on this system.
    static func measure() -> ProcessFigures? { nil }
  #endif

  /// What grew since an earlier moment, so many ceremonies ago, in words; none where everything is flat.
  ///
  /// Pages and the heap breathe a little; what would be lost at each ceremony shows all the same.
  func growth(since earlier: ProcessFigures, over ceremonies: Int) -> [String] {
    var words: [String] = []
    if resident - earlier.resident > max(2048, ceremonies / 4) {
      words.append("memory grew from \(earlier.resident) to \(resident) KiB")
    }
    if heap - earlier.heap > max(128 * 1024, ceremonies * 16) {
      words.append("the heap grew from \(earlier.heap) to \(heap) bytes")
    }
    if descriptors > earlier.descriptors {
      words.append("there were \(earlier.descriptors) open files and are \(descriptors)")
    }
    if threads > earlier.threads { words.append("there were \(earlier.threads) threads and are \(threads)") }
    return words
  }
}
