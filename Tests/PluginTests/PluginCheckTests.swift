// `mediakit plugins --check`: what a bad plugin does to its process is told, and goes no further.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("issue 3, bad input: a plugin that crashes or hangs, in a child process")
struct PluginCheckTests {
    private func check(_ path: String, _ options: [String] = []) throws -> ChildResult {
        try runMediakit(["plugins", "--check", path] + options, seconds: 120)
    }

    @Test("the examples and VVC hold in every step", arguments: ["tremolo", "toy", "vvc"])
    func good(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path =
            name == "vvc" ? try Workshop.vvc.get() : try Workshop.example(name, in: folder)
        let result = try check(path, ["--json"])
        #expect(result.status == 0, "\(result)")
        let report = try JSON(parsing: result.output)
        #expect(report["usable"] == .bool(true))
        let steps = (report["steps"]?.elements ?? []).compactMap { $0["name"]?.text }
        #expect(steps.first == "load")
        #expect(steps.last == "unload")
        #expect(steps.count >= 9, "\(steps)")
        if name == "tremolo" { #expect(steps.contains("filter tremolo-c: depth=1")) }
        if name == "vvc" { #expect(steps.contains("decoder vvc: junk as video vvc")) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What is said, and of which step.
        let expected: String
        let step: String
        let make: @Sendable (TemporaryFolder) throws -> String
    }

    /// A filter whose functions do something else than they should.
    private static func filter(_ change: (from: String, to: String))
        -> @Sendable (TemporaryFolder)
        throws -> String
    {
        let parts = Workshop.idleFilter("bad").replacing(change.from, with: change.to)
        return { folder in
            try Workshop.plugin(
                "bad", in: folder, parts: parts, members: Workshop.filterMembers)
        }
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a crash while it tells what it holds", expected: "crashed with SIG",
            step: "load"
        ) { folder in
            try Workshop.plugin("crash", in: folder, entry: "abort(); return &plugin;")
        },
        Case(testDescription: "a crash in init", expected: "crashed with SIGSEGV", step: "load") {
            folder in
            try Workshop.plugin(
                "crash", in: folder,
                parts: "static int32_t init(const mk_host *h) "
                    + "{ volatile int *p = h ? NULL : malloc(4); *p = 1; return MK_OK; }",
                members: ".init = init")
        },
        Case(
            testDescription: "a crash when a filter is made", expected: "crashed with SIGABRT",
            step: "filter bad: stereo at 48000 Hz",
            make: filter(("*self = malloc(1);", "(void)self; abort();"))),
        Case(
            testDescription: "an endless loop", expected: "hangs: not done after 3",
            step: "filter bad: stereo at 48000 Hz",
            make: filter(("(void)s;\n    return input", "while (s) {} return input"))),
        Case(
            testDescription: "it ends the process", expected: "ended the process with status 0",
            step: "filter bad: stereo at 48000 Hz",
            make: filter(("*self = malloc(1);", "(void)self; exit(0);"))),
        Case(
            testDescription: "samples that are no numbers", expected: "samples that are no numbers",
            step: "filter bad: stereo at 48000 Hz",
            make: filter(
                (
                    "(void)s;\n    return input",
                    "(void)s; if (input) ((float *)input->planes[0])[0] = 0.0f / (s ? 0 : 1);"
                        + " return input"
                ))),
        Case(testDescription: "it can't be loaded", expected: "not an ELF file", step: "load") {
            try $0.write("text.so", Array("hello".utf8))
        },
    ]

    // A sanitizer takes hold of crashes before they end the process.
    @Test(
        "is named with the step, and this program goes on", .enabled(if: !Sanitizer.isOn),
        arguments: cases)
    func bad(_ bad: Case) throws {
        let folder = try TemporaryFolder()
        let limit = bad.expected.hasPrefix("hangs") ? "3" : "60"
        let result = try check(try bad.make(folder), ["--check-timeout", limit])
        #expect(result.status == 2)
        #expect(result.errorText.contains(bad.expected), "\(result)")
        let line = result.text.split(separator: "\n").first { $0.contains(bad.expected) }
        #expect(line?.contains(bad.step) == true, "\(result.text)")
    }

    @Test("in the process itself, for debuggers", .enabled(if: !Sanitizer.isOn))
    func inProcess() throws {
        let folder = try TemporaryFolder()
        let good = try check(try Workshop.example("tremolo", in: folder), ["--in-process"])
        #expect(good.status == 0)
        #expect(good.text.contains("ok  unload"))
        let bad = try Workshop.plugin("crash", in: folder, entry: "abort(); return &plugin;")
        let result = try check(bad, ["--in-process"])
        #expect(result.status == 128 + 6)
        #expect(result.text.hasSuffix("begin  load  \n"), "\(result.text)")
    }
}
