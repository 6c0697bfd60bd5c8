import BridgeCommands

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

exit(CommandLineTool.main(Array(CommandLine.arguments.dropFirst())))
