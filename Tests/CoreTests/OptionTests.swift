// Options as data.

import MediaCore
import Testing

@Suite struct OptionTests {
    private let specs = [
        OptionSpec("voice", .double(1...10), default: .double(2), live: true, "Strength."),
        OptionSpec("type", .choice(["wide", "narrow"]), default: .string("wide"), "Kind."),
        OptionSpec("on", .bool, default: .bool(false), "Switch."),
        OptionSpec("count", .int(0...8), default: nil, "Number."),
    ]

    @Test func readsTextsAndValues() throws {
        let options = try Options(
            ["voice": .string("3.5"), "on": .string("yes"), "count": .double(4)], specs: specs,
            owner: "test")
        #expect(options.double("voice") == 3.5)
        #expect(options.bool("on"))
        #expect(options.int("count") == 4)
        #expect(options.string("type") == "wide")
    }

    @Test(arguments: [
        (["voice": OptionValue.string("11")], "voice"), (["voice": .string("nan")], "voice"),
        (["type": .string("wid")], "type"), (["on": .string("2")], "on"),
        (["count": .double(1.5)], "'1.5' is not a whole number, 0…8"),
        (["count": .string("9")], "'9' is not 0…8"), (["voise": .int(2)], "did you mean 'voice'"),
    ])
    func refusesAndSaysWhy(_ values: [String: OptionValue], _ part: String) {
        let error = #expect(throws: MediaError.self) {
            _ = try Options(values, specs: specs, owner: "test")
        }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains(part) == true)
        #expect(error?.message.hasPrefix("test: ") == true)
    }

    @Test func aRefusedChangeChangesNothing() throws {
        var options = try Options(["voice": .int(5)], specs: specs, owner: "test")
        #expect(throws: MediaError.self) {
            try options.set(["count": .int(2), "voice": .int(50)], specs: specs, owner: "test")
        }
        #expect(options.int("count") == nil)
        #expect(options.double("voice") == 5)
    }
}
