/// A subcommand: its specification and what it does.
protocol BridgeCommand: Sendable {
  static var specification: CommandSpecification { get }

  /// Does the work and writes the result; errors are reported by the caller.
  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure)
}
