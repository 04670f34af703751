// Which decoder takes a stream: by rank, by what is on, and the next one where the first fails.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("A2.15, issue 3: the choice of a decoder, and why")
struct DecoderChoiceTests {
    private func stream(_ codec: String) -> StreamInfo {
        StreamInfo(
            index: 3, parameters: CodecParameters(CodecDescription(kind: .audio, codecName: codec)),
            timeBase: TimeBase(1, 48_000))
    }

    private func load(
        _ name: String, codec: String, rank: Int = 0, create: String = "*self = malloc(1);",
        _ bench: Bench, _ folder: TemporaryFolder
    ) throws {
        try bench.loader.load(
            try Workshop.plugin(
                name, in: folder,
                parts: Workshop.idleDecoder(name, codec: codec, rank: rank, create: create),
                members: Workshop.decoderMembers))
    }

    @Test("of two plugins for one codec the rank decides, both are listed, off takes the other")
    func rank() throws {
        let (bench, folder) = (try Bench(), try TemporaryFolder())
        try load("one", codec: "duet", rank: 1, bench, folder)
        try load("two", codec: "duet", rank: 2, bench, folder)
        let registry = bench.registry
        let names = registry.entries.filter { $0.kind == .decoder }.map(\.plugin.info.name)
        #expect(names == ["libav", "one", "two"])
        let first = try registry.decoderChoice(for: stream("duet")).choice
        #expect(first.name == "two")
        #expect(first.file == folder.file("two.so"))
        #expect(first.reason == "rank 2, before one with 1")
        try registry.setRank(.decoder, "one", 5)
        #expect(
            try registry.decoderChoice(for: stream("duet")).choice.reason
                == "rank 5 (set), before two with 2")
        try registry.setEnabled(.decoder, "one", false)
        let second = try registry.decoderChoice(for: stream("duet")).choice
        #expect(second.name == "two")
        #expect(second.reason == "the only decoder for it; one switched off")
        try registry.setEnabled(.decoder, "two", false)
        let error = #expect(throws: MediaError.self) {
            try registry.decoderChoice(for: stream("duet"))
        }
        #expect(error?.code == .decoderNotFound)
        #expect(
            error?.message
                == "audio stream 3: audio codec not supported: DUET; its decoder is switched off; "
                + "mk.plugins.enable(\"decoder\", \"one\", true) allows it")
    }

    @Test("equal ranks go by registration; built-in decoders compete like loaded ones")
    func equals() throws {
        let (bench, folder) = (try Bench(), try TemporaryFolder())
        try load("mine", codec: "flac", bench, folder)
        let choice = try bench.registry.decoderChoice(for: stream("flac")).choice
        #expect(choice.name == "libav")
        #expect(choice.file == nil)
        #expect(choice.reason == "rank 0, registered before mine")
        try bench.registry.setRank(.decoder, "mine", 1)
        #expect(try bench.registry.decoder(for: stream("flac")).info.name == "mine")
        try bench.loader.unload("mine")
        #expect(
            try bench.registry.decoderChoice(for: stream("flac")).choice.reason
                == "the only decoder for it")
    }

    @Test("where the first can't be made the next one is, and the choice says so")
    func next() throws {
        let (bench, folder) = (try Bench(), try TemporaryFolder())
        let fails = "h->set_error(\"no licence key\"); return MK_FAILED;"
        try load("broken", codec: "duet", rank: 9, create: fails, bench, folder)
        try load("works", codec: "duet", bench, folder)
        var made: DecoderChoice?
        let decoder = try bench.registry.makeDecoder(stream("duet"), DecoderRequest()) { made = $0 }
        if case .needsInput = try decoder.receive() {} else { Issue.record("not made") }
        #expect(made?.name == "works")
        #expect(made?.reason.contains("no licence key") == true)
        try bench.registry.setEnabled(.decoder, "works", false)
        let error = #expect(throws: MediaError.self) {
            try bench.registry.makeDecoder(stream("duet"), threads: 1)
        }
        #expect(error?.code == .decodeFailed)
        #expect(error?.message.contains("no licence key") == true)
    }

    @Test("options of a loaded decoder are set within their ranges and reach it")
    func options() throws {
        let (bench, folder) = (try Bench(), try TemporaryFolder())
        let create = """
            if (r->value_count != 1 || strcmp(r->values[0].name, "effort")) return MK_FAILED;
            if (r->values[0].integer != 7) return MK_BAD_ARGUMENT;
            if (r->threads < 1) return MK_FAILED;
            *self = malloc(1);
            """
        try load("picky", codec: "duet", create: create, bench, folder)
        let registry = bench.registry
        #expect(registry.options(.decoder, "picky").int("effort") == 3)
        #expect(throws: MediaError.self) { try registry.makeDecoder(stream("duet"), threads: 0) }
        for (values, word): ([String: OptionValue], String) in [
            (["effort": .int(10)], "1…9"), (["effort": .string("much")], "1…9"),
            (["efort": .int(1)], "did you mean 'effort'"),
        ] {
            let error = #expect(throws: MediaError.self) {
                try registry.setOptions(.decoder, "picky", values)
            }
            #expect(error?.code == .badArgument)
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        }
        try registry.setOptions(.decoder, "picky", ["effort": .int(7)])
        _ = try registry.makeDecoder(stream("duet"), threads: 0)
        let error = #expect(throws: MediaError.self) {
            try registry.setOptions(.filter, "volume", ["volume": .int(1)])
        }
        #expect(error?.code == .badArgument)
    }

    @Test("a codec is named as people write it, by its tag where FFmpeg has no name for it")
    func names() {
        func title(_ codec: String, tag: String = "") -> String {
            var description = CodecDescription(kind: .video, codecName: codec)
            description.tag = tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            return CodecParameters(description).codecTitle
        }
        #expect(title("vvc") == "VVC")
        #expect(title("none", tag: "vvc1") == "VVC")
        #expect(title("none", tag: "vvi1") == "VVC")
        #expect(title("none", tag: "abcd") == "an unknown codec with tag 'abcd'")
        #expect(title("none") == "an unknown codec")
    }
}
