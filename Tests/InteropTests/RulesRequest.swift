import Octets

/// The request that the questions describe, as a server would write it.
enum RulesRequest {
  /// A request that leaves everything to its defaults.
  static let plain = #"""
    {"rp":{"id":"example.org","name":"E"},"user":{"id":"AQ","name":"b","displayName":""},"challenge":"AA",
    "pubKeyCredParams":[{"type":"public-key","alg":-7}]}
    """#

  static func json(_ answers: RulesAnswers, excluded: [[UInt8]] = []) -> String {
    var members = [
      #""rp":{"id":"example.org","name":"Example"}"#,
      #""user":{"id":"dXNlcg","name":"alice","displayName":"Alice"}"#,
      #""challenge":"AAECAwQFBgcICQoLDA0ODw""#,
      #""pubKeyCredParams":["#
        + RulesKey.numbers(answers.text("request.algorithms")).map { #"{"type":"public-key","alg":\#($0)}"# }
        .joined(separator: ",") + "]",
    ]
    var selection: [String] = []
    for (name, question) in [
      ("residentKey", "request.residentKey"), ("userVerification", "request.userVerification"),
      ("authenticatorAttachment", "request.attachment"),
    ] where answers.text(question) != "absent" {
      selection.append(#""\#(name)":"\#(answers.text(question))""#)
    }
    if answers.flag("request.requireResidentKey") { selection.append(#""requireResidentKey":true"#) }
    if !selection.isEmpty { members.append(#""authenticatorSelection":{\#(selection.joined(separator: ","))}"#) }
    let attestation = answers.text("request.attestation")
    if attestation != "absent" { members.append(#""attestation":"\#(attestation)""#) }
    for (name, question) in [("attestationFormats", "request.attestationFormats"), ("hints", "request.hints")]
    where answers.text(question) != "none given" {
      let values = answers.text(question).split(separator: ", ").map { #""\#($0)""# }
      members.append(#""\#(name)":[\#(values.joined(separator: ","))]"#)
    }
    if !excluded.isEmpty {
      let entries = excluded.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))"}"# }
      members.append(#""excludeCredentials":[\#(entries.joined(separator: ","))]"#)
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// The exclude list that an answer stands for; a key of the tables takes two at a time.
  static func excluded(_ answer: String, own: [UInt8]) -> [[UInt8]] {
    let others = (1...4).map { [UInt8](repeating: $0, count: 64) }
    return switch answer {
    case "others' that fit": Array(others.prefix(2))
    case "its own that fits": [others[0], own]
    case "others' that do not fit": others + [[UInt8](repeating: 5, count: 64)]
    case "its own in one that does not fit": others + [own]
    default: []
    }
  }
}
