import BridgeCommands

// No asynchronous main: that would leave this thread to the runtime, which lets it take every signal, so that Ctrl-C
// would end the process before the key is told.
CommandLineTool.main(Array(CommandLine.arguments.dropFirst()))
