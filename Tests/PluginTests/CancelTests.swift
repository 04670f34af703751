// Plugins that never stop: what they call of the program's own ends them.

import Glibc
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("issue 3, bad input: a plugin that never comes to an end is cancelled", .serialized)
struct CancelTests {
    private static func ready(_ folder: TemporaryFolder) -> String {
        "FILE *f = fopen(\"\(folder.file("ready"))\", \"w\"); if (f) fclose(f);"
    }

    /// Starts the program, waits until the plugin says that it is in its loop, and goes on.
    private func start(
        _ words: [String], _ folder: TemporaryFolder
    ) throws -> ChildProcess {
        let child = try ChildProcess(mediakitPath, words, folder: folder.path)
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(30))
        while try SystemFileSystem().facts(of: folder.file("ready")) == nil,
            SystemTimeSource().now < deadline
        {
            usleep(10_000)
        }
        #expect(try SystemFileSystem().facts(of: folder.file("ready")) != nil)
        return child
    }

    @Test("SIGINT reaches a filter that emits for ever", arguments: ["input", "!input"])
    func filter(_ condition: String) throws {
        let folder = try TemporaryFolder()
        let path = try Workshop.badFilter(
            "endless", in: folder,
            process: """
                static float zeros[4096];
                static size_t count;
                if (input) count = input->plane_count;
                void *planes[8];
                for (int i = 0; i < 8; i++) planes[i] = zeros;
                mk_audio out = {sizeof out, 4096, MK_NO_TIME, planes, count};
                if (\(condition)) { \(Self.ready(folder)) }
                while (\(condition)) {
                    int32_t result = emit(sink, &out);
                    if (result < 0) return result;
                }
                """)
        let child = try start(
            [
                "play", "--plugin", path, "--filter", "endless", "--sink", "null",
                "synth:sine=duration=2",
            ], folder)
        child.signal(SIGINT)
        let result = child.finish(seconds: 20)
        #expect(result.status == 130, "\(result)")
        #expect(!result.timedOut)
    }

    private func endlessDecoder(_ condition: String, _ folder: TemporaryFolder) throws -> String {
        var parts = Workshop.OddParts()
        parts.receive = "if (\(condition)) { m->has = 1; m->pts++; \(Self.ready(folder)) }"
        return try Workshop.oddMedium("endless", in: folder, parts)
    }

    @Test("SIGINT reaches a decoder that always has a frame", arguments: ["1", "m->ends"])
    func decoder(_ condition: String) throws {
        let folder = try TemporaryFolder()
        let path = try endlessDecoder(condition, folder)
        try folder.write("x.odd", Array("ODD1".utf8))
        let child = try start(["play", "--plugin", path, "--sink", "null", "x.odd"], folder)
        child.signal(SIGINT)
        let result = child.finish(seconds: 20)
        #expect(result.status == 130, "\(result)")
        #expect(!result.timedOut)
    }

    @Test("closing a player ends such a decoder and such a filter")
    func close() throws {
        let folder = try TemporaryFolder()
        let path = try endlessDecoder("1", folder)
        try folder.write("x.odd", Array("ODD1".utf8))
        let script = try folder.write(
            "close.lua",
            """
            local p = mk.player{ clock = "free" }
            print(p:open("x.odd"))
            p:play()
            mk.wait(0.3)
            p:close()
            print("closed")
            """.utf8)
        let result = try runMediakit(
            ["run", "--plugin", path, "--allow-read", script], folder: folder.path, seconds: 20)
        #expect(result.text.hasSuffix("closed\n"), "\(result)")
        #expect(!result.timedOut)
    }
}
