public import CTAPHID
public import CTAPMessages
public import Timing

/// One thing that happened, as the key itself saw it.
public struct VirtualKeyLogEntry: Hashable, Sendable {
  /// When, on the clock that drives the key.
  public let instant: Instant
  /// What.
  public let event: VirtualKeyEvent
}

/// What can happen to a virtual key.
public enum VirtualKeyEvent: Hashable, Sendable {
  /// The key got power: at its making and after each power cycle.
  case poweredUp
  /// The key was pulled out.
  case unplugged
  /// INIT on this channel was answered; on the broadcast channel it gave out a new one.
  case initialised(ChannelID)
  /// PING, LOCK or WINK was answered.
  case replied(CTAPHIDCommand, ChannelID)
  /// The host was refused with an ERROR frame.
  case refused(CTAPHIDErrorCode, ChannelID)
  /// A whole CTAP request was taken, by its command byte; `size` counts that byte.
  case command(UInt8, ChannelID, size: Int)
  /// A CTAP command ended with a status; `size` counts the status byte.
  case answered(UInt8, CTAPStatus, size: Int)
  /// A whole U2F request was taken, by its instruction; `size` counts all of its bytes.
  case u2fCommand(UInt8, ChannelID, size: Int)
  /// A U2F request ended with a status; `size` counts the status.
  case u2fAnswered(UInt8, U2FStatus, size: Int)
  /// The key began to ask for a touch; U2F's requests are named by the CTAP2 commands that they correspond to.
  case touchAsked(CTAPCommand)
  /// The touch came.
  case touched
  /// Somebody declined to touch.
  case touchDeclined
  /// The touch did not come in time.
  case touchTimedOut
  /// Somebody touched the key while it did not ask.
  case idleTouch
  /// CANCEL ended a command.
  case cancelled(UInt8)
  /// The key was asked to show itself.
  case winked
  /// A credential was made and is kept by the key or in its id.
  case credentialMade(rpID: String, id: [UInt8], resident: Bool)
  /// A credential was made by U2F, for an application.
  case u2fRegistered(application: [UInt8], id: [UInt8])
  /// A resident credential went because another took its place.
  case credentialReplaced(rpID: String, id: [UInt8])
  /// A resident credential was deleted by its holder.
  case credentialDeleted(rpID: String, id: [UInt8])
  /// The names of a resident credential's account were replaced.
  case credentialUpdated(rpID: String, id: [UInt8])
  /// A signature was given.
  case signed(rpID: String, id: [UInt8], counter: UInt32)
  /// A signature was given by U2F, after a touch or without.
  case u2fSigned(application: [UInt8], id: [UInt8], counter: UInt32, present: Bool)
  /// A PIN was compared; so many tries were left beforehand, less the one that this spends.
  case pinTry(retriesLeft: Int)
  /// The right PIN came, and the tries are full again.
  case pinRight
  /// A PIN was set or changed.
  case pinSet
  /// The built-in sensor was used.
  case verificationTry(succeeded: Bool, retriesLeft: Int)
  /// A token was given out, with its permissions.
  case tokenGiven(PINUVAuthPermissions, rpID: String?)
  /// A setting of the key was changed.
  case configured(AuthenticatorConfigSubcommand)
  /// A finger was on the sensor, or did not come, during an enrolment.
  case fingerprintSample(EnrollSampleStatus, remaining: Int)
  /// A fingerprint was enrolled.
  case fingerprintEnrolled(id: [UInt8])
  /// A fingerprint was removed.
  case fingerprintRemoved(id: [UInt8])
  /// A whole large-blob array of this many bytes took the place of the one before.
  case largeBlobsWritten([UInt8])
  /// Everything was erased.
  case wasReset

  /// Whether this is a request that the key took and answers: a round trip for the host.
  public var isTransaction: Bool {
    switch self {
    case .initialised, .replied, .command, .u2fCommand: true
    default: false
    }
  }
}
