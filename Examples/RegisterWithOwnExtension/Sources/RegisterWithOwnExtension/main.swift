// Registers with a user interface and a vendor extension of its own: on USB, or with `virtual` on a virtual key.
import CTAPBridge
import CTAPBridgeVirtualKey

/// `acme_desk_v1: "<desk>"`: tells the server at which desk the key was registered, and which model it is.
struct DeskExtension: ClientExtension {
  let identifier = "acme_desk_v1"

  func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    guard let desk = inputs[identifier]?.stringValue else { return .malformed("\(identifier) is not a desk's name") }
    return .honoured(Work(desk: desk))
  }

  struct Work: RegistrationExtension {
    let desk: String

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      [ExtensionOutput("acme_desk_v1", ["desk": .string(desk), "model": .string("\(created.authenticator.aaguid)")])]
    }
  }
}

/// A user interface in a few lines: what happens is printed, and a key's name comes from the product.
struct Kiosk: UserInteraction {
  func notify(_ event: CeremonyEvent) {
    switch event {
    case .waitingForKey: print("Please plug in your key.")
    case .touchNeeded, .touchToSelect: print("Please touch your key.")
    case .keySkipped(let key, let reason): print("Not \(key.product ?? key.id): \(reason).")
    default: break
    }
  }

  func retrieveAuthenticatorDescription(_ key: AuthenticatorInfo) async throws(UserCancelled)
    -> AuthenticatorDescriptor?
  {
    AuthenticatorDescriptor(friendlyName: "Kiosk key (\(key.suggestedName))")
  }
}

let request = #"""
  {"rp": {"id": "example.org", "name": "Example"}, "user": {"id": "AQIDBA", "name": "alice", "displayName": "Alice"},
   "challenge": "AAECAwQFBgcICQoLDA0ODw", "pubKeyCredParams": [],
   "extensions": {"acme_desk_v1": "desk 7", "thalesgroup_ext_v1": true, "thalesgroup_chl_tkn_ext_v1": {"t": 1.0}}}
  """#
let keys: any KeySource =
  CommandLine.arguments.contains("virtual") ? VirtualKeySource(try VirtualKeyPort()) : USBKeySource()
let client = SecurityKeyClient(
  keySource: keys, interaction: Kiosk(), extensions: SecurityKeyClient.bridgeExtensions + [DeskExtension()])
let response = try await client.register(optionsJSON: Array(request.utf8), origin: Origin("https://example.org"))
print(String(decoding: response.json(pretty: true), as: UTF8.self))
