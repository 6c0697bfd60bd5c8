internal import CBOR
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Octets

/// A large blob that is read or written in an authentication, in the way that the key has for it.
struct LargeBlobWork: Sendable {
  /// What became of it, and what the user is told.
  struct Outcome: Sendable {
    let result: LargeBlobResult
    var warnings: [String] = []
  }

  let task: LargeBlobTask
  let access: LargeBlobAccess
  /// Whether writing takes a token, because the key has some form of user verification set up.
  private let isProtected: Bool
  /// The data to be written, compressed; nil for reading.
  private let compressed: CompressedLargeBlob?

  /// The work for the first extension that has some, or nil where there is none or the key cannot do it.
  init?(_ works: [any AuthenticationExtension], on authenticator: AuthenticatorInfo) throws(CTAP2Error) {
    guard let access = LargeBlobAccess(authenticator) else { return nil }
    guard let task = works.lazy.compactMap({ $0.largeBlobTask(for: authenticator) }).first else { return nil }
    self.task = task
    self.access = access
    isProtected = KeyFacts(authenticator.abilities).isProtected || authenticator.abilities.isOn(.alwaysUv)
    if case .write(let data) = task {
      compressed = try CompressedLargeBlob(compressing: data)
    } else {
      compressed = nil
    }
  }

  /// What the token of the assertion has to permit beside it; it outlives the assertion for this alone (CTAP 2.3 §6.5.5.7).
  var permissions: PINUVAuthPermissions { compressed != nil && access == .array && isProtected ? .largeBlobWrite : [] }

  /// What goes to the key with the assertion.
  var input: (name: String, value: CBORValue) {
    switch (access, compressed) {
    case (.array, _): ("largeBlobKey", true)
    case (.direct, nil): ("largeBlob", ["read": true])
    case (.direct, let blob?):
      ("largeBlob", ["write": .bytes(blob.bytes), "originalSize": .unsigned(blob.originalSize)])
    }
  }

  /// Does what is left to do once the key has signed.
  ///
  /// - Throws: Where the key cannot be read, or may have written and cannot be asked. What was certainly not written, and
  ///   what is there and cannot be made sense of, is an outcome.
  func finish(
    _ response: GetAssertionResponse, token: PINUVAuthToken?, _ session: KeySession, _ wait: Wait
  ) throws(CTAP2Error) -> Outcome {
    let nothing: LargeBlobResult = compressed == nil ? .read(nil) : .written(false)
    switch access {
    case .direct: return direct(response.unsignedExtensionOutputs?["largeBlob"]?.mapValue ?? [:])
    case .array:
      guard let bytes = response.largeBlobKey else { return Outcome(result: nothing) }
      let cipher: LargeBlobCipher
      do throws(CTAP2Error) {
        cipher = try LargeBlobCipher(key: SecretBytes(bytes))
      } catch {
        return Outcome(result: nothing, warnings: ["\(error)"])
      }
      if case .write(let data) = task { return try write(data, under: cipher, token, session, wait) }
      return try read(under: cipher, session, wait)
    }
  }

  private func direct(_ output: CBORMap) -> Outcome {
    if compressed != nil { return Outcome(result: .written(output["written"]?.boolValue ?? false)) }
    guard let bytes = output["blob"]?.bytesValue, case .unsigned(let size)? = output["originalSize"] else {
      return Outcome(result: .read(nil))
    }
    return Self.expanded(CompressedLargeBlob(bytes: bytes, originalSize: size))
  }

  private func read(
    under cipher: LargeBlobCipher, _ session: KeySession, _ wait: Wait
  ) throws(CTAP2Error) -> Outcome {
    let array: LargeBlobArray
    do throws(CTAP2Error) {
      array = try session.largeBlobs(wait)
    } catch {
      guard case .largeBlobUnfit = error else { throw error }
      return Outcome(result: .read(nil), warnings: ["\(error)"])
    }
    if array.wasDamaged { return Outcome(result: .read(nil), warnings: [Self.damaged + " It counts as empty."]) }
    return array.blob(under: cipher).map(Self.expanded) ?? Outcome(result: .read(nil))
  }

  private func write(
    _ data: [UInt8], under cipher: LargeBlobCipher, _ token: PINUVAuthToken?, _ session: KeySession, _ wait: Wait
  ) throws(CTAP2Error) -> Outcome {
    if isProtected, token == nil {
      let reason = "The large blob was not written: the key wants its user verified for that."
      return Outcome(result: .written(false), warnings: [reason])
    }
    do throws(CTAP2Error) {
      let before = try session.setLargeBlob(data, under: cipher, token, wait)
      return Outcome(
        result: .written(true), warnings: before.wasDamaged ? [Self.damaged + " It was begun anew."] : [])
    } catch {
      if case .changeUncertain = error { throw error }
      return Outcome(
        result: .written(false), warnings: ["The large blob was not written: \(CTAP2Words(error).clause)."])
    }
  }

  private static let damaged = "The key's array of large blobs fails its own check."

  private static func expanded(_ blob: CompressedLargeBlob) -> Outcome {
    do throws(CTAP2Error) {
      return Outcome(result: .read(try blob.expanded()))
    } catch {
      return Outcome(result: .read(nil), warnings: ["\(error)"])
    }
  }
}
