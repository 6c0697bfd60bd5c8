import BridgeCommands

CommandLineTool.main(Array(CommandLine.arguments.dropFirst()))
