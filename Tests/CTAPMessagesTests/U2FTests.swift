import CBOR
import CTAPMessages
import Testing

@Suite("U2F")
struct U2FTests {
  let challenge = hex("4142d21c00d94ffb9d504ada8f99b721f4b191ae4e37ca0140f696b6983cfacb")
  let application = hex("f0e6a6a97042a4f1f1c87f5f7d44315b2d852c2df5c7991cc66241bf7072d1c4")

  @Test("a registration is asked for with lengths of two bytes and an answer of any length")
  func registerRequest() throws {
    let request = U2FRegisterRequest(challengeParameter: challenge, applicationParameter: application)
    let bytes = request.frame().encoded()
    #expect(bytes == hex("00010000000040") + challenge + application + [0, 0])
    #expect(try U2FRegisterRequest(U2FCommandFrame(bytes)) == request)
  }

  @Test("a sign-in is asked for with the key handle behind its length, and the control in P1")
  func authenticateRequest() throws {
    let handle = [UInt8](repeating: 3, count: 64)
    let controls: [(U2FAuthenticateRequest.Control, UInt8)] = [
      (.enforceUserPresenceAndSign, 3), (.checkOnly, 7), (.dontEnforceUserPresenceAndSign, 8),
    ]
    for (control, p1) in controls {
      let request = try #require(
        U2FAuthenticateRequest(
          control, challengeParameter: challenge, applicationParameter: application, keyHandle: handle))
      let bytes = request.frame().encoded()
      #expect(bytes == [0, 2, p1, 0, 0, 0, 0x81] + challenge + application + [0x40] + handle + [0, 0])
      #expect(try U2FAuthenticateRequest(U2FCommandFrame(bytes)) == request)
    }
  }

  @Test("a key handle of more than 255 bytes cannot be asked for")
  func longHandle() {
    for (count, possible) in [(0, true), (255, true), (256, false)] {
      let request = U2FAuthenticateRequest(
        .checkOnly, challengeParameter: challenge, applicationParameter: application,
        keyHandle: [UInt8](repeating: 1, count: count))
      #expect((request != nil) == possible)
    }
  }

  @Test("the version is asked for in the form without data, and read in all forms that hosts send")
  func version() throws {
    #expect(U2FCommandFrame.version.encoded() == hex("00030000000000"))
    for form in ["00030000", "0003000000", "00030000000000", "000300000000000000"] {
      #expect(try U2FCommandFrame(hex(form)) == .version, "\(form)")
    }
  }

  @Test(
    "the form with lengths of one byte is read back, and there is none for more than 255 bytes",
    arguments: [0, 1, 64, 255])
  func shortForm(_ count: Int) throws {
    let frame = U2FCommandFrame(ins: 2, p1: 7, data: [UInt8](repeating: 1, count: count))
    let bytes = try #require(frame.encodedShort())
    #expect(bytes.count == 4 + (count > 0 ? 1 : 0) + count + 1)
    #expect(try U2FCommandFrame(bytes) == frame)
    #expect(U2FCommandFrame(ins: 2, data: [UInt8](repeating: 1, count: 256)).encodedShort() == nil)
  }

  @Test(
    "zeros behind the status are padding where no status can end with them",
    arguments: [
      ("9000", 0x9000, ""), ("900000", 0x9000, ""), ("01029000000000", 0x9000, "0102"), ("0100900000", 0x9000, "0100"),
      ("6985", 0x6985, ""), ("698500", 0x6985, ""), ("69850000", 0x6985, ""), ("6a8000", 0x6a80, ""),
      ("6700", 0x6700, ""), ("67000000", 0x6700, ""), ("6f0000", 0x6f00, ""), ("12349000", 0x9000, "1234"),
    ])
  func padding(_ bytes: String, _ status: UInt16, _ data: String) throws {
    #expect(
      try U2FResponseFrame(padded: hex(bytes)) == U2FResponseFrame(data: hex(data), status: U2FStatus(rawValue: status))
    )
  }

  @Test("what is too short for a status is none, padded or not", arguments: ["", "00", "90", "85", "8500"])
  func noStatus(_ bytes: String) {
    #expect(throws: MessageError.self) { try U2FResponseFrame(padded: hex(bytes)) }
  }

  @Test("short frames are read too")
  func shortFrames() throws {
    let frame = U2FCommandFrame(cla: 1, ins: 2, p1: 3, p2: 4, data: [5, 6])
    #expect(try U2FCommandFrame(hex("01020304020506")) == frame)
    #expect(try U2FCommandFrame(hex("0102030402050600")) == frame)
    #expect(try U2FCommandFrame(hex("01020304000002050600" + "00")) == frame)
    #expect(try U2FCommandFrame(hex("010203040000020506")) == frame)
    #expect(frame.encoded() == hex("0102030400000205060000"))
  }

  @Test(
    "frames whose lengths contradict their size are refused",
    arguments: [
      "", "000300", "0001000002aa", "000100000000", "00010000000002aa", "0001000001aabbcc", "00010000000001aabb",
      "00010000000001aabbccdd",
    ])
  func badFrames(text: String) throws {
    let error = try #require(throws: MessageError.self) { try U2FCommandFrame(hex(text)) }
    #expect(error.status == .invalidLength)
  }

  @Test("the data of a request has exactly its members")
  func badRequests() {
    for count in [0, 63, 65] {
      let frame = U2FCommandFrame(ins: 1, data: [UInt8](repeating: 0, count: count))
      #expect(throws: MessageError.self) { try U2FRegisterRequest(frame) }
    }
    for data in [[UInt8](repeating: 0, count: 64), [UInt8](repeating: 0, count: 66), challenge + application + [2, 1]] {
      #expect(throws: MessageError.self) { try U2FAuthenticateRequest(U2FCommandFrame(ins: 2, data: data)) }
    }
  }

  @Test("the published registration has its published parts")
  func registration() throws {
    let bytes = Vectors.python("u2fPilotRegistration")
    let frame = try U2FResponseFrame(bytes + [0x90, 0x00])
    #expect(frame == U2FResponseFrame(data: bytes))
    #expect(frame.encoded() == bytes + [0x90, 0x00])
    let response = try U2FRegisterResponse(frame.data)
    #expect(response.userPublicKey == Vectors.python("u2fPilotPublicKey"))
    #expect(response.keyHandle == Vectors.python("u2fPilotKeyHandle"))
    #expect(response.attestationCertificate == Vectors.python("u2fPilotCertificate"))
    #expect(response.signature == Vectors.python("u2fPilotSignature"))
    #expect(response.encoded() == bytes)
    #expect(try U2FRegisterResponse(Vectors.python("u2fRegistration")).encoded() == Vectors.python("u2fRegistration"))
  }

  @Test("bytes behind a signature are dropped")
  func trailingBytes() throws {
    let bytes = Vectors.python("u2fPilotRegistration")
    #expect(try U2FRegisterResponse(bytes + [0, 0, 0]).encoded() == bytes)
    let authentication = Vectors.python("u2fAuthentication")
    #expect(try U2FAuthenticateResponse(authentication + [0xff]).encoded() == authentication)
  }

  @Test("a registration becomes what makeCredential returns")
  func makeCredential() throws {
    let u2f = try U2FRegisterResponse(Vectors.python("u2fPilotRegistration"))
    let response = try u2f.makeCredentialResponse(applicationParameter: application)
    #expect(response.fmt == "fido-u2f")
    #expect(response.attStmt == ["sig": .bytes(u2f.signature), "x5c": [.bytes(u2f.attestationCertificate)]])
    let data = response.authData
    #expect(data.rpIDHash == application)
    #expect(data.flags == [.userPresent, .attestedCredential])
    #expect(data.signCount == 0)
    #expect(data.attestedCredential?.aaguid == .zero)
    #expect(data.attestedCredential?.credentialID == u2f.keyHandle)
    let key = try #require(data.attestedCredential?.publicKey)
    #expect(key.alg == -7)
    #expect([4] + (key.x ?? []) + (key.y ?? []) == u2f.userPublicKey)
    #expect(throws: MessageError.self) { try u2f.makeCredentialResponse(applicationParameter: []) }
  }

  @Test("the W3C vector of format fido-u2f is what a U2F answer with its parts becomes")
  func webauthnVector() throws {
    let vector = try #require(Vectors.webauthn.first { $0.id == "fido-u2f-es256" })
    let object = try AttestationObject(cbor: CBORDecoder.decode(hex(vector.attestationObject)))
    let credential = try #require(object.authData.attestedCredential)
    let key = credential.publicKey
    let u2f = U2FRegisterResponse(
      userPublicKey: [4] + (key.x ?? []) + (key.y ?? []), keyHandle: credential.credentialID,
      attestationCertificate: try #require(object.attStmt["x5c"]?.arrayValue?.first?.bytesValue),
      signature: try #require(object.attStmt["sig"]?.bytesValue))
    let response = try U2FRegisterResponse(u2f.encoded()).makeCredentialResponse(
      applicationParameter: object.authData.rpIDHash)
    #expect(response.fmt == object.fmt)
    #expect(response.attStmt == object.attStmt)
    #expect(response.authData.flags == object.authData.flags)
    // The vector has an AAGUID; a real U2F key has none.
    #expect(response.authData.attestedCredential?.publicKeyBytes == credential.publicKeyBytes)
  }

  @Test("a sign-in becomes what getAssertion returns")
  func authentication() throws {
    let bytes = Vectors.python("u2fAuthentication")
    let u2f = try U2FAuthenticateResponse(bytes)
    #expect(u2f.userPresence == 1)
    #expect(u2f.counter == 1)
    #expect(u2f.encoded() == bytes)
    var response = try u2f.getAssertionResponse(keyHandle: [9], applicationParameter: application)
    #expect(response.credential == CredentialDescriptor(id: [9]))
    #expect(response.authData.encoded() == application + [0x01, 0, 0, 0, 1])
    #expect(response.signature == Array(bytes.dropFirst(5)))
    response = try U2FAuthenticateResponse(userPresence: 0xff, counter: 0x0102_0304, signature: [])
      .getAssertionResponse(keyHandle: [9], applicationParameter: application)
    #expect(response.authData.encoded() == application + [0x03, 1, 2, 3, 4])
    #expect(throws: MessageError.self) { try u2f.getAssertionResponse(keyHandle: [], applicationParameter: [1]) }
  }

  @Test("an answer cut at any byte is an error, and one with a changed byte is an error or a value")
  func truncationAndMutation() {
    let registration = Vectors.python("u2fPilotRegistration")
    let authentication = Vectors.python("u2fAuthentication")
    for length in registration.indices {
      #expect(throws: MessageError.self) { try U2FRegisterResponse(Array(registration[..<length])) }
      for mask in [1, 0x40, 0x80, 0xff] as [UInt8] {
        var changed = registration
        changed[length] ^= mask
        if let response = try? U2FRegisterResponse(changed) {
          #expect(changed.starts(with: response.encoded()))
        }
      }
    }
    for length in authentication.indices {
      #expect(throws: MessageError.self) { try U2FAuthenticateResponse(Array(authentication[..<length])) }
    }
  }

  @Test("what a registration cannot be is refused by name")
  func malformedRegistration() throws {
    let good = Vectors.python("u2fPilotRegistration")
    func member(_ position: Int, _ value: UInt8) -> String? {
      var bytes = good
      bytes[position] = value
      do {
        _ = try U2FRegisterResponse(bytes)
        return nil
      } catch {
        return error.member
      }
    }
    let certificate = 1 + 65 + 1 + 64
    #expect(member(0, 0x04) == "reserved byte")
    #expect(member(1, 0x02) == "user public key")
    #expect(member(certificate, 0x31) == "attestation certificate")
    #expect(member(certificate + 1, 0x84) == "attestation certificate")
    #expect(member(certificate + 2, 0xff) == "attestation certificate")
  }

  @Test("a status is any two bytes, and has a sentence")
  func status() throws {
    let named: [(UInt16, U2FStatus)] = [
      (0x9000, .noError), (0x6985, .conditionsNotSatisfied), (0x6a80, .wrongData), (0x6700, .wrongLength),
      (0x6986, .commandNotAllowed), (0x6f00, .other),
      (0x6e00, .claNotSupported), (0x6d00, .insNotSupported), (0x0001, U2FStatus(rawValue: 1)),
    ]
    for (number, status) in named {
      let frame = try U2FResponseFrame([7, UInt8(number >> 8), UInt8(number & 0xff)])
      #expect(frame.status == status)
      #expect(frame.data == [7])
      #expect(status.explanation.last == ".")
    }
    #expect(U2FStatus(rawValue: 1).description == "0x0001")
    #expect(U2FStatus(rawValue: 1).explanation.contains("0x0001"))
    #expect(throws: MessageError.self) { try U2FResponseFrame([0x90]) }
  }
}
