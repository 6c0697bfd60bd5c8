import FaultMatrix

await MatrixCommand.run(Array(CommandLine.arguments.dropFirst()))
