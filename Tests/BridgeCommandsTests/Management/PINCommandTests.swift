import CTAPMessages
import JSONText
import Testing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("The PIN of a key")
struct PINCommandTests {
  @Test("set, change and status, in JSON and in words")
  func round() async throws {
    let desk = try KeyDesk(pin: nil)
    try desk.scratch.write("new", "628491\n")
    let before = await desk.run("pin", "status")
    #expect(
      before.output == """
        No PIN is set.
        New PINs have at least 4 characters and at most 63.
        The key verifies its user where a site wants it.

        """)
    let set = await desk.run("pin", "set", "--new-pin-file", desk.scratch["pin"], "--json")
    #expect(set.status == .success && set.output == "{\n  \"pin\": \"set\"\n}\n", "\(set.error)")
    let status = try await desk.json("pin", "status")
    #expect(
      status.members?.map(\.name) == [
        "supported", "set", "retries", "needsReplug", "mustChange", "minimumLength", "maximumLength",
        "complexityPolicy", "alwaysUv", "builtInVerification", "builtInRetries",
      ])
    #expect(status["set"]?.boolValue == true && status["retries"]?.integerValue == 8)
    let change = try await desk.done("pin", "change", "--new-pin-file", desk.scratch["new"])
    #expect(change.output.isEmpty && change.error.hasSuffix("The PIN was changed.\n"))
    let old = await desk.run("credentials", "list", "--pin-file", desk.scratch["pin"])
    #expect(old.status == .pin)
    #expect(await desk.run("credentials", "list", "--pin-file", desk.scratch["new"]).status == .success)
  }

  @Test("a key that has a PIN gets no first one, and one without has none to change")
  func wrongVerb() async throws {
    let desk = try KeyDesk()
    let set = await desk.run("pin", "set", "--new-pin-file", desk.scratch["pin"])
    #expect(set.status == .unavailable && set.error.contains("has a PIN already; change it instead."))
    let bare = try KeyDesk(pin: nil)
    let change = await bare.run(
      "pin", "change", "--pin-file", bare.scratch["pin"], "--new-pin-file", bare.scratch["pin"])
    #expect(change.status == .pin && change.error.contains("it has no PIN; set one first"), "\(change.error)")
    #expect(bare.store.load()?.pin == nil)
  }

  @Test("force-change lets the PIN do nothing but be replaced")
  func forceChange() async throws {
    let desk = try KeyDesk()
    try desk.scratch.write("new", "628491\n")
    let json = try await desk.json("pin", "force-change")
    #expect(json["pin"]?.stringValue == "must change")
    #expect(try desk.state.mustChangePIN)
    let refused = await desk.run("credentials", "list", "--pin-file", desk.scratch["pin"])
    #expect(refused.status == .pin && refused.error.contains("must be changed"), "\(refused.error)")
    #expect(try await desk.json("pin", "status")["mustChange"]?.boolValue == true)
    try await desk.done("pin", "change", "--new-pin-file", desk.scratch["new"])
    #expect(try await desk.json("pin", "status")["mustChange"]?.boolValue == false)
    #expect(await desk.run("credentials", "list", "--pin-file", desk.scratch["new"]).status == .success)
  }

  @Test("min-length raises the minimum, names who may read it, and says when the PIN is too short now")
  func minimumLength() async throws {
    let desk = try KeyDesk()
    let sites = try await desk.json("pin", "min-length", "--rp-id", "a.example", "--rp-id", "b.example")
    #expect(sites.members?.map(\.name) == ["minimumLength", "rpIds", "mustChange"])
    #expect(sites["minimumLength"]?.integerValue == 4 && sites["mustChange"]?.boolValue == false)
    #expect(try desk.state.minimumPINLengthRPIDs == ["a.example", "b.example"])
    let raised = try await desk.done("pin", "min-length", "6")
    #expect(
      raised.error.hasSuffix(
        "The key's PINs have at least 6 characters. The PIN is shorter and must be changed before it is used.\n"))
    #expect(try desk.state.minimumPINLength == 6 && desk.state.mustChangePIN)
    #expect(try desk.state.minimumPINLengthRPIDs == ["a.example", "b.example"])
    try desk.scratch.write("short", "62849\n")
    let short = await desk.run(
      "pin", "change", "--pin-file", desk.scratch["pin"], "--new-pin-file", desk.scratch["short"])
    #expect(short.status == .pin && short.error.contains("6"), "\(short.error)")
    #expect(try desk.state.pinRetries == 8)
  }

  @Test("a minimum can't be lowered, and numbers that are none are refused before a key is asked")
  func lower() async throws {
    let desk = try KeyDesk { $0.profile.info.minPINLength = 6 }
    let lower = await desk.run("pin", "min-length", "5", "--pin-file", desk.scratch["pin"])
    #expect(lower.status == .unavailable && lower.error.contains("can only be raised"), "\(lower.error)")
    #expect(desk.requests(.config) == 0)
    desk.port.clearLog()
    for words in [["3"], ["64"], ["six"], []] {
      #expect(await desk.run(["pin", "min-length"] + words).status == .usage)
    }
    #expect(desk.port.log.isEmpty)
  }

  @Test("a key that takes no PIN says so, and one without rules for PINs too")
  func notOffered() async throws {
    let desk = try KeyDesk(pin: nil) { $0.profile.info.options?[.clientPin] = nil }
    let ending = await desk.run("pin", "set", "--new-pin-file", desk.scratch["pin"])
    #expect(ending.status == .unavailable && ending.error.contains("it does not offer a PIN"), "\(ending.error)")
    #expect(await desk.run("pin", "status").output.hasPrefix("This key takes no PIN.\n"))
    let plain = try KeyDesk { $0.profile.info.options?[.setMinPINLength] = nil }
    for words in [["min-length", "6"], ["force-change"]] {
      let refused = await plain.run(["pin"] + words)
      #expect(refused.status == .unavailable && refused.error.contains("rules for its PIN"), "\(refused.error)")
    }
    #expect(plain.requests(.clientPIN) == 0)
  }
}
