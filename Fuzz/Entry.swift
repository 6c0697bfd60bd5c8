#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What libFuzzer calls with each input; the environment names the target, so that one build serves all of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  chosenTarget(Array(UnsafeBufferPointer(start: data, count: count)))
  return 0
}

private let chosenTarget: FuzzTarget.Body = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    fflush(nil)
    // Without the hooks that take an exit for a crash.
    _exit(name == "list" ? 0 : 64)
  }
  return target.body
}()
