/// What a command line may not say where a program drives the command: stdin is taken.
enum ProgramRules {
  static func check(_ arguments: ParsedArguments, _ command: any BridgeCommand.Type) throws(UsageError) {
    for option in command.specification.options {
      let isFile = option.value == "FILE" && option.name != "--output" && arguments.all(option.name).contains("-")
      let isDescriptor =
        option.name.hasSuffix("-fd") && arguments.all(option.name).contains { Int32($0) == 0 }
      guard isFile || isDescriptor else { continue }
      throw UsageError(
        "With --interaction json stdin is for answers; give \(option.name) a file or another descriptor.",
        command: command.specification.name)
    }
  }
}
