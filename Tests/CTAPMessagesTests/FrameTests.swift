import CBOR
import CTAPMessages
import Testing

@Suite("Frames")
struct FrameTests {
  @Test("a request is its command byte and its parameters")
  func request() throws {
    #expect(CTAPRequest.encode(.getInfo) == [0x04])
    #expect(CTAPRequest.encode(.clientPIN, ClientPINRequest(.getPINRetries)) == [0x06, 0xa1, 0x02, 0x01])
    let (command, parameters) = try CTAPRequest.decode([0x06, 0xa1, 0x02, 0x01])
    #expect(command == CTAPCommand.clientPIN.rawValue)
    #expect(try ClientPINRequest(cborOrEmpty: parameters) == ClientPINRequest(.getPINRetries))
    #expect(try CTAPRequest.decode([0x07]).parameters == nil)
  }

  @Test("a command that is not known is still a command")
  func unknownCommand() throws {
    let (command, parameters) = try CTAPRequest.decode([0x7e, 0xa0])
    #expect(command == 0x7e)
    #expect(parameters == [:])
    #expect(CTAPCommand(rawValue: command) == nil)
  }

  @Test("commands have the numbers of the specification")
  func numbers() {
    #expect(CTAPCommand.allCases.map(\.rawValue) == [1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 0x40, 0x41])
  }

  @Test("a request is read strictly, unless told otherwise")
  func strictRequest() throws {
    let unsorted: [UInt8] = [0x06, 0xa2, 0x02, 0x01, 0x01, 0x01]
    #expect(throws: MessageError.self) { try CTAPRequest.decode(unsorted) }
    #expect(try CTAPRequest.decode(unsorted, mode: .tolerant).parameters == [1: 1, 2: 1])
  }

  @Test("a response is its status and what is returned")
  func response() throws {
    #expect(CTAPResponse.encode(.pinInvalid) == [0x31])
    #expect(CTAPResponse.encode(ClientPINResponse(pinRetries: 8)) == [0x00, 0xa1, 0x03, 0x08])
    let (status, value) = try CTAPResponse.decode([0x00, 0xa1, 0x03, 0x08])
    #expect(status == .ok)
    #expect(try ClientPINResponse(cborOrEmpty: value) == ClientPINResponse(pinRetries: 8))
  }

  @Test("a lone status byte and an empty map are the same response where nothing is required")
  func loneStatus() throws {
    for bytes in [[0x00], [0x00, 0xa0]] as [[UInt8]] {
      let (status, value) = try CTAPResponse.decode(bytes)
      #expect(status == .ok)
      #expect(try LargeBlobsResponse(cborOrEmpty: value) == LargeBlobsResponse())
      #expect(try CredentialManagementResponse(cborOrEmpty: value) == CredentialManagementResponse())
      #expect(try BioEnrollmentResponse(cborOrEmpty: value) == BioEnrollmentResponse())
    }
  }

  @Test("a lone status byte misses the members of a response that has required ones")
  func loneStatusOfGetInfo() throws {
    let value = try CTAPResponse.decode([0x00]).value
    let error = try #require(throws: MessageError.self) { try GetInfoResponse(cborOrEmpty: value) }
    #expect(error == MessageError(message: "getInfo response", member: "versions", number: 1, problem: .missing))
  }

  @Test("bytes after an error status are not looked at")
  func errorWithBytes() throws {
    let (status, value) = try CTAPResponse.decode([0x2e, 0xff, 0xff])
    #expect(status == .noCredentials)
    #expect(value == nil)
  }

  @Test("a response is read tolerantly, unless told otherwise")
  func tolerantResponse() throws {
    let unsorted: [UInt8] = [0x00, 0xa2, 0x05, 0x01, 0x03, 0x18, 0x08]
    #expect(try CTAPResponse.decode(unsorted).value == [3: 8, 5: 1])
    #expect(throws: MessageError.self) { try CTAPResponse.decode(unsorted, mode: .strict) }
  }

  @Test("no bytes at all, and bytes that are not CBOR, are errors that say so")
  func malformed() throws {
    #expect(throws: MessageError(message: "request", problem: .empty)) { try CTAPRequest.decode([]) }
    #expect(throws: MessageError(message: "response", problem: .empty)) { try CTAPResponse.decode([]) }
    let error = try #require(throws: MessageError.self) { try CTAPResponse.decode([0x00, 0xa1, 0x01]) }
    guard case .notCBOR = error.problem else {
      Issue.record("\(error)")
      return
    }
    #expect(error.status == .invalidCBOR)
  }
}
