// Plugin files that can't be used: each is refused with its name and the reason.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("issue 3: bad plugin files")
struct BadFileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: String
        var code = MediaError.Code.pluginUnusable
        let make: @Sendable (TemporaryFolder) throws -> String

        init(
            _ title: String, _ expected: String, code: MediaError.Code = .pluginUnusable,
            _ make: @escaping @Sendable (TemporaryFolder) throws -> String
        ) {
            testDescription = title
            self.expected = expected
            self.code = code
            self.make = make
        }
    }

    static let cases: [Case] = [
        Case("missing", "no such file", code: .notFound) { $0.file("missing.so") },
        Case("text", "no shared library") { try $0.write("text.so", Array("hello, world".utf8)) },
        Case("empty", "no shared library") { try $0.write("empty.so", []) },
        Case("a folder", "it is no file") { $0.path },
        Case("another machine", "for AArch64") { folder in
            let good = try Workshop.plugin("machine", in: folder)
            var bytes = try readFile(good)
            bytes[18] = 183
            return try folder.write("arm.so", bytes)
        },
        Case("32 bit", "for x86 (32 bit)") { folder in
            var bytes = [UInt8](repeating: 0, count: 64)
            bytes.replaceSubrange(0..<4, with: [0x7F, 0x45, 0x4C, 0x46])
            (bytes[4], bytes[5], bytes[16], bytes[18]) = (1, 1, 3, 3)
            return try folder.write("i386.so", bytes)
        },
        Case("cut off", "it is cut short") { folder in
            let good = try Workshop.plugin("cut-off", in: folder)
            return try folder.write("cut.so", try readFile(good).prefix(4096))
        },
        Case("no entry", "exports no function") { folder in
            let source = try folder.write("none.c", Array("int nothing(void);\nint x;\n".utf8))
            return try Workshop.compile(source, to: folder.file("none.so"))
        },
        Case("a missing symbol", "nowhere_to_be_found") { folder in
            try Workshop.plugin(
                "unlinked", in: folder, parts: "int nowhere_to_be_found(void);",
                entry: "return nowhere_to_be_found() ? &plugin : 0;")
        },
        Case("an older API", "older plugin API 0.9") { folder in
            try Workshop.plugin("old", in: folder, api: "9")
        },
        Case("a newer API", "newer plugin API 2.0") { folder in
            try Workshop.plugin("new", in: folder, api: "2 << 16")
        },
        Case("a newer minor API", "newer plugin API 1.7") { folder in
            try Workshop.plugin("newer", in: folder, api: "(1 << 16) + 7")
        },
        Case("it refuses", "refuses to work") { folder in
            try Workshop.plugin("refusing", in: folder, entry: "(void)plugin; return 0;")
        },
        Case("init fails", "initialisation failed: no licence key") { folder in
            try Workshop.plugin(
                "failing", in: folder,
                parts: """
                    static int32_t init(const mk_host *host) {
                        host->set_error("no licence key");
                        return MK_FAILED;
                    }
                    """, members: ".init = init")
        },
        Case("a name with blanks", "lacks a name") { folder in
            try Workshop.plugin("not a name", in: folder, file: "blank")
        },
        Case("a list of nothing", "part 0 of a list is missing") { folder in
            try Workshop.plugin(
                "hollow", in: folder, parts: "static const mk_filter *const filters[] = {0};",
                members: Workshop.filterMembers)
        },
        Case("a filter without functions", "filter 'idle' lacks functions") { folder in
            try Workshop.plugin(
                "gaps", in: folder,
                parts: """
                    static const mk_filter filter = {
                        .struct_size = sizeof(mk_filter), .name = "idle"};
                    static const mk_filter *const filters[] = {&filter};
                    """, members: Workshop.filterMembers)
        },
        Case("a size that cuts through a member", "a filter is named ''") { folder in
            try Workshop.plugin(
                "cut", in: folder,
                parts: Workshop.idleFilter("idle").replacing(
                    ".struct_size = sizeof(mk_filter)", with: ".struct_size = 12"),
                members: Workshop.filterMembers)
        },
        Case("options that are told of and not there", "tells of 5 options and has no list") {
            folder in
            try Workshop.plugin(
                "hollow", in: folder,
                parts: Workshop.idleFilter("idle").replacing(
                    ".options = options", with: ".options = sizeof options ? NULL : options"
                ).replacing(".option_count = 0", with: ".option_count = 5"),
                members: Workshop.filterMembers)
        },
        Case("a range upside down", "option 'level': its range") { folder in
            try Workshop.plugin(
                "range", in: folder,
                parts: Workshop.idleFilter(
                    "idle", options: ".kind = MK_DOUBLE, .name = \"level\", .minimum = 2"),
                members: Workshop.filterMembers)
        },
        Case("a default out of range", "its default 5 is not 0…2") { folder in
            try Workshop.plugin(
                "default", in: folder,
                parts: Workshop.idleFilter(
                    "idle",
                    options: ".kind = MK_INT, .name = \"level\", .maximum = 2, "
                        + ".default_number = 5"),
                members: Workshop.filterMembers)
        },
        Case("live options without update", "no update function") { folder in
            try Workshop.plugin(
                "live", in: folder,
                parts: Workshop.idleFilter(
                    "idle",
                    options: ".kind = MK_BOOL, .name = \"on\", .flags = MK_OPTION_LIVE"),
                members: Workshop.filterMembers)
        },
    ]

    @Test("are refused with name and reason, and the program goes on", arguments: cases)
    func refused(_ bad: Case) throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        let before = bench.registry.entries.count
        let path = try bad.make(folder)
        let error = #expect(throws: MediaError.self) { try bench.loader.load(path) }
        #expect(error?.code == bad.code)
        #expect(error?.message.contains(bad.expected) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(path) == true, "\(error?.message ?? "")")
        #expect(bench.registry.entries.count == before)
        #expect(bench.loader.loaded.isEmpty)
        _ = try bench.loader.load(try Workshop.plugin("good", in: folder))
        #expect(bench.loader.loaded.map(\.name) == ["good"])
    }

    @Test("an option out of range never reaches the plugin")
    func optionOutOfRange() throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        try bench.loader.load(try Workshop.example("tremolo", in: folder))
        for values: [String: OptionValue] in [
            ["depth": .double(1.5)], ["rate": .double(0)], ["deep": .double(1)],
        ] {
            let error = #expect(throws: MediaError.self) {
                try bench.registry.makeFilter(FilterSpec(.named("tremolo-c", values)))
            }
            #expect(error?.code == .badArgument)
        }
    }

    @Test("names that are taken are refused: of a file, of a filter")
    func conflicts() throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        let parts = Workshop.idleFilter("idle")
        try bench.loader.load(
            try Workshop.plugin(
                "first", in: folder, parts: parts, members: Workshop.filterMembers))
        let twice = try Workshop.plugin("first", in: folder, file: "second")
        let sameName = #expect(throws: MediaError.self) { try bench.loader.load(twice) }
        #expect(sameName?.code == .pluginConflict)
        #expect(sameName?.message.contains("first.so") == true)
        let clash = try Workshop.plugin(
            "third", in: folder, parts: parts, members: Workshop.filterMembers)
        let sameFilter = #expect(throws: MediaError.self) { try bench.loader.load(clash) }
        #expect(sameFilter?.code == .pluginConflict)
        #expect(sameFilter?.message.contains("third.so") == true)
        #expect(bench.loader.loaded.map(\.name) == ["first"])
    }

    @Test("folders: the first of a name wins, bad files are passed over, named files must load")
    func folders() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let third = try TemporaryFolder()
        _ = try Workshop.plugin("a", in: first, file: "a1")
        _ = try Workshop.plugin("a", in: second, file: "a2")
        _ = try Workshop.plugin("b", in: second)
        _ = try second.write("bad.so", Array("no plugin".utf8))
        let bench = try Bench()
        Log.setSink { _, _, _ in }
        defer { Log.setSink(nil) }
        try bench.loader.load(searching: [
            PluginFolders.Entry(first.path, isRequired: false),
            PluginFolders.Entry("\(first.path)/none", isRequired: false),
            PluginFolders.Entry(second.path, isRequired: true),
            PluginFolders.Entry(try Workshop.plugin("c", in: third), isRequired: false),
            PluginFolders.Entry(second.file("bad.so"), isRequired: false),
        ])
        #expect(bench.loader.loaded.map(\.name) == ["a", "b", "c"])
        #expect(bench.loader.loaded.first?.path.hasSuffix("a1.so") == true)
        #expect(throws: MediaError.self) {
            try bench.loader.load(searching: [
                PluginFolders.Entry(second.file("bad.so"), isRequired: true)
            ])
        }
    }

    @Test("a part whose name is taken, and a path that is not there, are told of")
    func clashes() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        for (name, folder) in [("a", first), ("b", second)] {
            _ = try Workshop.plugin(
                name, in: folder, parts: Workshop.idleFilter("idle"),
                members: Workshop.filterMembers)
        }
        _ = try Workshop.plugin("a", in: second, file: "other")
        let missing = first.file("nowhere")
        let result = try runMediakit(
            ["plugins"],
            environment: ["MEDIAKIT_PLUGIN_PATH": "\(first.path):\(second.path):\(missing)"])
        #expect(result.status == 0)
        let warnings = result.errorText.split(separator: "\n")
        #expect(warnings.count == 2, "\(result)")
        #expect(result.errorText.contains("\(second.path)/b.so"))
        #expect(result.errorText.contains("two filter plugins are named 'idle'"))
        #expect(result.errorText.contains("\(missing): no such file or folder"))
    }

    @Test(
        "listing plugins runs nothing of them but the one function",
        arguments: ["plugins", "filters"])
    func onlyListed(_ command: String) throws {
        let folder = try TemporaryFolder()
        let path = try Workshop.plugin(
            "quiet", in: folder,
            parts: "static int32_t init(const mk_host *h) { (void)h; abort(); }\n"
                + "static void shutdown_(void) { abort(); }\n" + Workshop.idleFilter("idle"),
            members: Workshop.filterMembers + ", .init = init, .shutdown = shutdown_")
        let result = try runMediakit([command, "--plugin", path])
        #expect(result.status == 0, "\(result)")
        #expect(result.text.contains("idle"))
    }

    @Test("empty names of files are told as such", arguments: ["--plugin", "--license"])
    func emptyNames(_ option: String) throws {
        let result = try runMediakit(["play", option, "", "x.wav"])
        #expect(result.status == 2)
        #expect(result.errorText.contains("\(option) names no file: its value is empty"))
    }

    @Test("a filter that settles only how many channels there are has their usual layout")
    func usualLayout() throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        let parts = Workshop.idleFilter("idle").replacing(
            "(void)s, (void)i, (void)o;", with: "(void)s, (void)i; o->channel_count = 6;")
        try bench.loader.load(
            try Workshop.plugin(
                "layouts", in: folder, parts: parts, members: Workshop.filterMembers))
        let filter = try bench.registry.makeFilter(FilterSpec(.named("idle", [:])))
        let format = try filter.configure(
            AudioFormat(sampleRate: 48_000, layout: .stereo), accepting: AudioFormatSet())
        #expect(format.channelCount == 6)
    }

    @Test("layouts that a filter settles must be known and fit", arguments: ["sausage", "7.1"])
    func layouts(_ layout: String) throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        let parts = Workshop.idleFilter("idle").replacing(
            "(void)s, (void)i, (void)o;", with: "(void)s, (void)i; o->layout = \"\(layout)\";")
        try bench.loader.load(
            try Workshop.plugin(
                "layouts", in: folder, parts: parts, members: Workshop.filterMembers))
        let filter = try bench.registry.makeFilter(FilterSpec(.named("idle", [:])))
        let error = #expect(throws: MediaError.self) {
            try filter.configure(
                AudioFormat(sampleRate: 48_000, layout: .stereo), accepting: AudioFormatSet())
        }
        #expect(error?.message.contains("2 channels in the layout '\(layout)'") == true)
    }
}
