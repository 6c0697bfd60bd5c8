import BridgeCommands

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

exit(await CommandLineTool.main(Array(CommandLine.arguments.dropFirst())))
