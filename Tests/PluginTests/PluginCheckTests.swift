// `mediakit plugins --check`: what a bad plugin does to its process is told, and goes no further.

import Glibc
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

    private static func process(_ statements: String, latency: String? = nil)
        -> @Sendable (TemporaryFolder) throws -> String
    {
        { try Workshop.badFilter("bad", in: $0, process: statements, latency: latency) }
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
            testDescription: "an endless loop", expected: "hangs: not done after 10",
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
        Case(
            testDescription: "it loses all sound", expected: "holds back 1024 samples",
            step: "filter bad: stereo at 48000 Hz",
            make: process("(void)emit, (void)sink; if (input) return MK_OK;")),
        Case(
            testDescription: "it loses sound in spite of its latency",
            expected: "samples went in, and 0 came out", step: "filter bad: stereo at 48000 Hz",
            make: process("(void)emit, (void)sink; if (input) return MK_OK;", latency: "1000000")),
        Case(
            testDescription: "it gives empty blocks", expected: "holds back 1024 samples",
            step: "filter bad: stereo at 48000 Hz",
            make: process(
                "if (input) { mk_audio o = *input; o.sample_count = 0; return emit(sink, &o); }")),
        Case(
            testDescription: "it gives the half", expected: "holds back 512 samples",
            step: "filter bad: stereo at 48000 Hz",
            make: process(
                "if (input) { mk_audio o = *input; o.sample_count /= 2; return emit(sink, &o); }")),
        Case(
            testDescription: "it gives everything twice",
            expected: "1024 samples went in, and 2048",
            step: "filter bad: stereo at 48000 Hz",
            make: process("if (input && emit(sink, input) < 0) return MK_FAILED;")),
        Case(
            testDescription: "times that stand still",
            expected: "begins at sample 0; 1024 comes next",
            step: "filter bad: stereo at 48000 Hz",
            make: process("if (input) { mk_audio o = *input; o.pts = 0; return emit(sink, &o); }")),
        Case(
            testDescription: "times that go back",
            expected: "begins at sample 1000000; 0 comes next",
            step: "filter bad: stereo at 48000 Hz",
            make: process(
                "if (input) { mk_audio o = *input; o.pts = 1000000 - o.pts; "
                    + "return emit(sink, &o); }")),
        Case(
            testDescription: "a result that is none", expected: "gives 7, which is no result",
            step: "filter bad: stereo at 48000 Hz",
            make: process("static int n; if (++n == 5) return 7;")),
        Case(
            testDescription: "a block without a size", expected: "struct_size 0",
            step: "filter bad: stereo at 48000 Hz",
            make: process(
                "if (input) { mk_audio o = *input; o.struct_size = 0; return emit(sink, &o); }")),
        Case(
            testDescription: "a latency below nothing", expected: "a latency of -1000 samples",
            step: "filter bad: stereo at 48000 Hz", make: process("", latency: "-1000")),
        Case(
            testDescription: "a latency without an end",
            expected: "a latency of 9223372036854775807 samples",
            step: "filter bad: stereo at 48000 Hz", make: process("", latency: "INT64_MAX")),
        Case(
            testDescription: "a latency of no time", expected: "a latency of -9223372036854775808",
            step: "filter bad: stereo at 48000 Hz", make: process("", latency: "INT64_MIN")),
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
        let limit = bad.expected.hasPrefix("hangs") ? "10" : "60"
        let result = try check(try bad.make(folder), ["--check-timeout", limit])
        #expect(result.status == 2)
        #expect(result.errorText.contains(bad.expected), "\(result)")
        let line = result.text.split(separator: "\n").first { $0.contains(bad.expected) }
        #expect(line?.contains(bad.step) == true, "\(result.text)")
    }

    @Test("a filter that gives no times holds, and one that keeps its promise of a latency")
    func honest() throws {
        let folder = try TemporaryFolder()
        let path = try Workshop.badFilter(
            "good", in: folder,
            process: "if (input) { mk_audio o = *input; o.pts = MK_NO_TIME; "
                + "return emit(sink, &o); }", latency: "480")
        #expect(try check(path).status == 0)
    }

    /// The processes whose command line has a word.
    private func processes(with word: String) throws -> [String] {
        try SystemFileSystem().list("/proc").filter { name in
            guard Int(name) != nil else { return false }
            let line = (try? readFile("/proc/\(name)/cmdline")) ?? []
            return String(decoding: line, as: UTF8.self).contains(word)
        }
    }

    private func waitUntil(_ isSo: () throws -> Bool) rethrows -> Bool {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(30))
        while SystemTimeSource().now < deadline {
            if try isSo() { return true }
            usleep(20_000)
        }
        return false
    }

    @Test(
        "whatever ends the check ends its child", arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
    func noOrphan(_ signal: Int32) throws {
        let folder = try TemporaryFolder()
        let path = try Self.filter(("(void)s;\n    return input", "while (s) {} return input"))(
            folder)
        let child = try ChildProcess(mediakitPath, ["plugins", "--check", path])
        #expect(try waitUntil { try processes(with: path).count == 2 })
        child.signal(signal)
        let result = child.finish(seconds: 20)
        #expect(result.status == (signal == SIGKILL ? 128 + SIGKILL : 130), "\(result)")
        #expect(try waitUntil { try processes(with: path).isEmpty })
    }

    @Test("a child that nobody watches ends itself")
    func alarm() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filter(("(void)s;\n    return input", "while (s) {} return input"))(
            folder)
        let result = try runMediakit(
            ["plugins", "--json", "--in-process", "--check-timeout", "0.5", "--check", path],
            seconds: 30)
        #expect(result.status == 128 + SIGALRM, "\(result)")
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
