import CBOR
import CTAPMessages
import Testing

@Suite("The getInfo responses of all certified keys")
struct CertifiedKeysTests {
  @Test("there are 240 records, and each has the two required members")
  func count() {
    #expect(Vectors.certifiedKeys.count == 240)
    #expect(Vectors.certifiedKeys.allSatisfy { $0.authenticatorGetInfo["versions"] != nil })
    #expect(Vectors.certifiedKeys.allSatisfy { $0.authenticatorGetInfo["aaguid"] != nil })
  }

  @Test("a response is read into the typed value and written back byte for byte", arguments: Vectors.certifiedKeys)
  func roundTrip(key: CertifiedKey) throws {
    let bytes = MetadataCBOR.getInfo(key.authenticatorGetInfo)
    let info = try GetInfoResponse(cbor: CBORDecoder.decode(bytes, mode: .strict))
    #expect(info.encoded() == bytes)
    #expect(info.additional.isEmpty)
  }

  @Test("the typed value says what the record says", arguments: Vectors.certifiedKeys)
  func values(key: CertifiedKey) throws {
    let record = key.authenticatorGetInfo
    let info = try GetInfoResponse(cbor: CBORDecoder.decode(MetadataCBOR.getInfo(record)))
    #expect(JSON.texts(info.versions) == record["versions"])
    #expect(info.extensions.map(JSON.texts) == record["extensions"])
    // Records write it with hyphens or without. (One record's differs from the one that it is filed under.)
    guard case .string(let aaguid) = record["aaguid"] else { throw MissingMember() }
    #expect(info.aaguid == AAGUID(aaguid))
    #expect(info.aaguid.description.filter { $0 != "-" } == aaguid.filter { $0 != "-" })
    #expect(info.options.map { .object($0.values.mapValues(JSON.bool)) } == record["options"])
    #expect(info.maxMsgSize.map(JSON.integer) == record["maxMsgSize"])
    #expect(info.pinUvAuthProtocols.map(JSON.integers) == record["pinUvAuthProtocols"])
    #expect(info.maxCredentialCountInList.map(JSON.integer) == record["maxCredentialCountInList"])
    #expect(info.maxCredentialIdLength.map(JSON.integer) == record["maxCredentialIdLength"])
    #expect(info.transports.map(JSON.texts) == record["transports"])
    #expect(info.algorithms.map { .array($0.map(JSON.algorithm)) } == record["algorithms"])
    #expect(info.forcePINChange.map(JSON.bool) == record["forcePINChange"])
    #expect(info.minPINLength.map(JSON.integer) == record["minPINLength"])
    #expect(info.maxPINLength.map(JSON.integer) == record["maxPINLength"])
    #expect(info.firmwareVersion.map { .integer(Int($0)) } == record["firmwareVersion"])
    #expect(info.uvModality.map { .integer(Int($0.rawValue)) } == record["uvModality"])
    #expect(info.certifications.map { .object($0.mapValues(JSON.integer)) } == record["certifications"])
    #expect(info.authenticatorConfigCommands.map(JSON.integers) == record["authenticatorConfigCommands"])
  }

  @Test("a map in reverse order and with a member of the future is read alike", arguments: Vectors.certifiedKeys)
  func unsorted(key: CertifiedKey) throws {
    let canonical = try CBORDecoder.decode(MetadataCBOR.getInfo(key.authenticatorGetInfo))
    let entries = try #require(canonical.mapValue).entries.reversed().map { ($0.key, $0.value) }
    var info = try GetInfoResponse(cbor: .map(CBORMap([(200, "from the future")] + entries)))
    #expect(info.additional == [200: "from the future"])
    info.additional = [:]
    #expect(try info == GetInfoResponse(cbor: canonical))
  }
}

private struct MissingMember: Error {}

extension JSON {
  fileprivate static func texts(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
  fileprivate static func integers(_ numbers: [Int]) -> JSON { .array(numbers.map(JSON.integer)) }
  fileprivate static func algorithm(_ parameters: CredentialParameters) -> JSON {
    .object(["type": .string(parameters.type), "alg": .integer(parameters.algorithm)])
  }
}
