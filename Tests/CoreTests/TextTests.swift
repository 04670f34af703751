// System text and JSON.

import MediaCore
import Testing

@Suite struct TextTests {
    @Test(
        arguments: [
            Array("plain.wav".utf8), Array("grüße 😀\n'\"".utf8), [0xFF, 0x61, 0xC3, 0x28, 0x80],
            Array("\u{10FF41}".utf8), [0xF4, 0x8F, 0xBC], [],
        ] as [[UInt8]])
    func anyBytesSurviveAsText(_ bytes: [UInt8]) {
        #expect(String(osBytes: bytes).osBytes == bytes)
    }

    @Test func randomBytesSurviveAsText() {
        var generator = SplitMix(seed: 7)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(String(osBytes: bytes).osBytes == bytes)
        }
    }

    @Test func strangeBytesArePrintable() {
        #expect(String(osBytes: [0x61, 0xFF, 0x0A]).printable == "a\\xff\\x0a")
    }

    @Test func jsonRoundTrips() throws {
        let text = #"{"b":[1,2.5,null,true,"\u00e4\n"],"a":{"deep":-9007199254740993}}"#
        let value = try JSON(parsing: Array(text.utf8))
        #expect(try JSON(parsing: Array(value.description.utf8)) == value)
        #expect(try JSON(parsing: Array(value.pretty.utf8)) == value)
        #expect(value["a"]?["deep"]?.integer == -9_007_199_254_740_993)
        #expect(value["b"]?.elements?.count == 5)
    }

    @Test(arguments: ["", "{", "[1,]", "nul", "\"\u{1}\"", "{\"a\":1}x", "1e999"])
    func refusesWhatIsNotJSON(_ text: String) {
        #expect(throws: MediaError.self) { _ = try JSON(parsing: Array(text.utf8)) }
    }
}

/// A small generator with a seed, so that a failing case can be run again.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
