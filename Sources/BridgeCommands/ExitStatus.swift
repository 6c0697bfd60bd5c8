/// What the command's exit status says, by kind; the numbers are stable and follow sysexits(3) where one fits.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case excluded = 10
  case pin = 11
  case declined = 12
  case credentialExists = 13
  case uncertain = 14
  case diverged = 15
  case usage = 64
  case badRequest = 65
  case noInput = 66
  case unavailable = 69
  case software = 70
  case systemResources = 71
  case cannotCreate = 73
  case inputOutput = 74
  case tryAgain = 75
  case protocolViolation = 76
  case noPermission = 77
  case configuration = 78
  case hungUp = 129
  case interrupted = 130
  case quit = 131
  case terminated = 143

  /// The status of a command that a signal ended.
  init(signal: Int32) { self = ExitStatus(rawValue: 128 + signal) ?? .terminated }

  /// One line for the help text.
  var meaning: String {
    switch self {
    case .success: "done"
    case .excluded: "the key already holds a credential of the exclude list (InvalidStateError)"
    case .pin: "the PIN is missing, wrong, blocked or must be changed first"
    case .declined: "the person, or the key in the person's name, said no"
    case .credentialExists: "a credential now exists on the key, and its response was not returned"
    case .uncertain: "the answer was lost: the key may have made the change; look before you repeat it"
    case .diverged: "a replay differs from its recording"
    case .usage: "the command line cannot be understood (EX_USAGE)"
    case .badRequest: "the request is malformed or asks for what is not allowed (EX_DATAERR)"
    case .noInput: "a file cannot be read, or the named key is not there (EX_NOINPUT)"
    case .unavailable: "no key that suits the request (EX_UNAVAILABLE)"
    case .software: "a defect of ctap-bridge itself (EX_SOFTWARE)"
    case .systemResources: "the system grants too few files, threads or too little memory (EX_OSERR)"
    case .cannotCreate: "the output file cannot be created; nothing was done on a key (EX_CANTCREAT)"
    case .inputOutput: "the key was unplugged, fell silent, or output was lost (EX_IOERR)"
    case .tryAgain: "the time was up, or the key stayed busy; try again (EX_TEMPFAIL)"
    case .protocolViolation: "the key's answer breaks the protocol or does not verify (EX_PROTOCOL)"
    case .noPermission: "the key's node may not be opened; install the udev rule (EX_NOPERM)"
    case .configuration: "a file of the administrator cannot be used (EX_CONFIG)"
    case .hungUp: "ended because the terminal went away (128 + SIGHUP)"
    case .interrupted: "interrupted with Ctrl-C (128 + SIGINT)"
    case .quit: "ended by SIGQUIT (128 + SIGQUIT)"
    case .terminated: "ended by SIGTERM (128 + SIGTERM)"
    }
  }
}
