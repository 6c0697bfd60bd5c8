import CBOR
import Octets
import Testing

/// Damaged inputs, on which `DecoderComparison` must find nothing that the written rules don't explain.
@Suite("Judgement of damaged inputs")
struct DifferentialTests {
  @Test("each input is accepted or refused as the written rules say", arguments: UInt64(1)...20)
  func judgement(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var counts = (strict: 0, tolerantOnly: 0, neither: 0)
    for _ in 0..<250 {
      let input = Mutation.input(using: &generator)
      let comparison = DecoderComparison(input)
      if comparison.strict.isAccepted {
        counts.strict += 1
      } else if comparison.tolerant.isAccepted {
        counts.tolerantOnly += 1
      } else {
        counts.neither += 1
      }
      #expect(comparison.disagreements == [], Comment(rawValue: Hex.encode(input)))
    }
    // The inputs are of all three kinds, or the comparison says little.
    #expect(min(counts.strict, counts.tolerantOnly, counts.neither) > 3, "\(counts)")
  }
}
