import BridgeTestSupport
import CBOR
import CTAPMessages
import FIDOCrypto
import Octets

@testable import CTAP2

/// The credential half of a fake key: it lists, deletes and renames, and checks the token's proof.
final class CredentialKey {
  struct Credential {
    var id: [UInt8]
    var user: UserEntity
  }

  let key: FakeKey
  /// The relying parties by RP ID, in order.
  var parties: [(id: String, credentials: [Credential])]
  /// The command that it answers.
  var command = CTAPCommand.credentialManagement
  /// What it does in place of its work, by the number of the request from 1.
  var interference: [Int: DeviceTransport.Reaction] = [:]
  /// Changes an answer.
  var spoil: (inout CredentialManagementResponse) -> Void = { _ in }
  private(set) var seen: [CredentialManagementRequest] = []
  private var rest: [CredentialManagementResponse] = []

  init(_ parties: [(id: String, credentials: [Credential])], preview: Bool = false) {
    self.parties = parties
    key = FakeKey(options: ["rk": true, preview ? "credentialMgmtPreview" : "credMgmt": true, "pinUvAuthToken": true])
    if preview { command = .credentialManagementPreview }
    key.answer = { [unowned self] request in
      guard request.command == .credentialManagement || request.command == .credentialManagementPreview else {
        return nil
      }
      guard request.command == self.command, let parameters = request.parameters else {
        return .status(.invalidCommand)
      }
      return self.react(try CredentialManagementRequest(cbor: parameters))
    }
  }

  /// A key with `count` relying parties of `each` credentials.
  convenience init(count: Int, each: Int, preview: Bool = false) {
    self.init(
      (0..<count).map { party in
        let credentials = (0..<each).map { number in
          Credential(
            id: [UInt8(party & 0xff), UInt8(party >> 8), UInt8(number & 0xff), UInt8(number >> 8)],
            user: UserEntity(id: [UInt8(number & 0xff)], name: "user \(number)", displayName: "User"))
        }
        return ("site\(party).example", credentials)
      }, preview: preview)
  }

  static func token() throws -> PINUVAuthToken { try PINKey.token(.two, permissions: .credentialManagement) }

  private func react(_ request: CredentialManagementRequest) -> DeviceTransport.Reaction {
    seen.append(request)
    if let reaction = interference[seen.count] { return reaction }
    switch request.subCommand {
    case .enumerateRPsGetNextRP, .enumerateCredentialsGetNextCredential:
      guard request.pinUvAuthParam == nil, !rest.isEmpty else { return .status(.notAllowed) }
      return send(rest.removeFirst())
    default:
      rest = []
      let proof = try? Self.token().authenticate(request.authenticatedBytes)
      guard request.pinUvAuthParam == proof else { return .status(.pinAuthInvalid) }
      return work(request)
    }
  }

  private func work(_ request: CredentialManagementRequest) -> DeviceTransport.Reaction {
    switch request.subCommand {
    case .getCredsMetadata:
      var response = CredentialManagementResponse()
      response.existingResidentCredentialsCount = parties.reduce(0) { $0 + $1.credentials.count }
      response.maxPossibleRemainingResidentCredentialsCount = 7
      return send(response)
    case .enumerateRPsBegin:
      return begin(
        parties.map { party in
          var response = CredentialManagementResponse()
          response.rp = RelyingPartyEntity(id: party.id, name: "The \(party.id)")
          response.rpIDHash = Digest.sha256(Array(party.id.utf8))
          return response
        }, \.totalRPs)
    case .enumerateCredentialsBegin:
      let party = parties.first { Digest.sha256(Array($0.id.utf8)) == request.subCommandParams?.rpIDHash }
      return begin(
        (party?.credentials ?? []).map { credential in
          var response = CredentialManagementResponse()
          response.user = credential.user
          response.credentialID = CredentialDescriptor(id: credential.id)
          response.credProtect = 2
          return response
        }, \.totalCredentials)
    case .deleteCredential: return change(request) { _ in nil }
    case .updateUserInformation:
      return change(request) { credential in
        request.subCommandParams?.user.map { Credential(id: credential.id, user: $0) }
      }
    default: return .status(.invalidSubcommand)
    }
  }

  private func begin(
    _ list: [CredentialManagementResponse], _ total: WritableKeyPath<CredentialManagementResponse, Int?>
  ) -> DeviceTransport.Reaction {
    guard var first = list.first else { return .status(.noCredentials) }
    first[keyPath: total] = list.count
    rest = Array(list.dropFirst())
    return send(first)
  }

  private func send(_ response: CredentialManagementResponse) -> DeviceTransport.Reaction {
    var response = response
    spoil(&response)
    return .ok(response)
  }

  private func change(
    _ request: CredentialManagementRequest, _ edit: (Credential) -> Credential?
  ) -> DeviceTransport.Reaction {
    let id = request.subCommandParams?.credentialID?.id
    for party in parties.indices {
      guard let index = parties[party].credentials.firstIndex(where: { $0.id == id }) else { continue }
      if let edited = edit(parties[party].credentials[index]) {
        parties[party].credentials[index] = edited
      } else {
        parties[party].credentials.remove(at: index)
      }
      return .ok
    }
    return .status(.noCredentials)
  }
}
