// The chain language.

import MediaCore
import TestSupport
import Testing

@testable import MediaModel

private struct EchoFilter: FilterPlugin {
    let info = PluginInfo(name: "echo", summary: "For the test.")
    let options = [
        OptionSpec("delay", .double(0...10), default: .double(1), unit: "s", "Delay."),
        OptionSpec("title", .string, default: nil, "Text."),
    ]
    func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        throw MediaError(.internalError, "not made in this test")
    }
}

/// Stands for libavfilter: it knows one filter of the same name, and one more.
private struct RawFilters: RawFilterPlugin {
    let info = PluginInfo(name: "raw", summary: "For the test.")
    let catalogue: [PluginInfo] = []
    func check(_ text: String) throws(MediaError) {
        guard text.hasPrefix("echo=") || text.hasPrefix("volume") else {
            throw MediaError(.badArgument, "no such filter: \(text)")
        }
    }
    func describe(_ name: String) -> [OptionSpec]? { nil }
    func makeFilter(_ text: String) throws(MediaError) -> sending any AudioFilter {
        throw MediaError(.internalError, text)
    }
    func makeConverter() -> sending any AudioFilter { preconditionFailure("not made here") }
    func makeVideoConverter(pixelFormats: [String]) -> sending any VideoConverter {
        preconditionFailure("not made here")
    }
}

@Suite struct ChainTests {
    private let registry: PluginRegistry

    init() throws { registry = try PluginRegistry([EchoFilter()]) }

    private func chain(_ text: String) throws(MediaError) -> FilterChain {
        try FilterChain(parsing: text, registry: registry)
    }

    @Test func readsNamesLabelsAndQuotedValues() throws {
        let chain = try chain(#" echo@first = delay=2.5 : title='a,b:c' , echo=title=it\'s"#)
        #expect(chain.filters.count == 2)
        #expect(chain.filters[0].label == "first")
        #expect(
            chain.filters[0].body
                == .named("echo", ["delay": .string("2.5"), "title": .string("a,b:c")]))
        #expect(chain.filters[1].body == .named("echo", ["title": .string("it's")]))
    }

    @Test(arguments: [
        "echo", "echo@x=delay=3", #"echo=title='a,b:c'"#, #"echo=title=it\'s"#,
        "echo@a=delay=1,echo@b=delay=2",
        // Combining marks right behind letters of the language.
        "echo@\u{b}\u{356}x", "echo=title= \u{301}a", "echo=title='a,\u{301}b'",
        "echo=title=\\'\u{301}",
    ])
    func printingAndReadingAgainGivesTheSame(_ text: String) throws {
        let first = try chain(text)
        #expect(try chain(first.description) == first)
    }

    @Test(arguments: [
        ("echo,ecco=delay=1", 5, 12), ("echo=delay=99", 5, 8), ("echo=dely=1", 5, 6),
        ("echo,,echo", 5, 1), ("echo=5", 5, 1), ("echo@=delay=1", 0, 13), ("", 0, 1),
        ("echo@x,echo@x", 7, 6),
    ])
    func pointsAtTheWrongPart(_ text: String, _ column: Int, _ length: Int) throws {
        let error = #expect(throws: MediaError.self) { try chain(text) }
        let mark =
            String(repeating: " ", count: column) + "^"
            + String(repeating: "~", count: length - 1)
        #expect(error?.code == .badArgument)
        #expect(error?.message.hasSuffix("\n  \(text)\n  \(mark)") == true, "\(error as Any)")
    }

    @Test func aLibavfilterFilterNamedLikeAPluginStaysOne() throws {
        let registry = try PluginRegistry([EchoFilter(), RawFilters()])
        let chain = try FilterChain(
            parsing: "lavfi.echo=0.8,lavfi.volume=2,echo", registry: registry)
        #expect(chain.description == "lavfi.echo=0.8,volume=2,echo")
        #expect(try FilterChain(parsing: chain.description, registry: registry) == chain)
        let error = #expect(throws: MediaError.self) {
            try registry.makeFilter(chain.filters[0])
        }
        #expect(error?.message == "echo=0.8,volume=2", "the prefix reached libavfilter")
    }
}
