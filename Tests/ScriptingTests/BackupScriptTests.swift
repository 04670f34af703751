// Scripts that name another URL for what can't be decoded well.

import MediaCore
import TestSupport
import Testing

@Suite("A2.12: mk.on_backup_url", .timeLimit(.minutes(20)))
struct BackupScriptTests {
    private func bench() throws -> ScriptBench {
        let bench = try ScriptBench()
        _ = try VideoClip.make(
            "a.mp4", in: bench.folder, count: 25,
            ["-c:v", "libx265", "-x265-params", "log-level=none"])
        _ = try VideoClip.make("b.mp4", in: bench.folder, count: 25)
        return bench
    }

    @Test("the callback gets scene, codec and URL, and playback goes on with what it gives")
    func backup() throws {
        let bench = try bench()
        let outcome = bench.run(
            """
            mk.plugins.enable_codec("hevc", false)
            local player = mk.player{ clock = "free" }
            mk.on_backup_url(function(scene, codec, url)
              print(scene, codec, url)
              return "b.mp4"
            end)
            player:on("switch_to_backup_url", function(event)
              print(event.url, event.backup, event.code, event.message ~= nil)
            end)
            print(assert(player:open("a.mp4")).url)
            player:play()
            assert(player:wait(10))
            local later = mk.player{ clock = "free" }
            print(assert(later:open("a.mp4")).url)
            player:close()
            later:close()
            mk.on_backup_url(nil)
            print(select(3, mk.player():open("a.mp4")))
            """)
        #expect(outcome.reported.isEmpty)
        #expect(outcome.status == 0)
        #expect(
            outcome.lines == [
                "player\th265\ta.mp4", "a.mp4\tb.mp4\tdecoder-not-found\ttrue", "b.mp4",
                "player\th265\ta.mp4", "b.mp4", "decoder-not-found",
            ])
    }

    @Test("nil, another type, an error, a URL that is not allowed: the plain error")
    func none() throws {
        let bench = try bench()
        func run(_ body: String, _ permissions: String = "") -> ScriptOutcome {
            bench.run(
                """
                mk.plugins.enable_codec("hevc", false)
                mk.on_backup_url(function() \(body) end)
                local player = mk.player()
                print(select(2, player:open("a.mp4")))
                """)
        }
        let plain = run("return nil")
        #expect(plain.status == 0)
        #expect(plain.printed.contains("video codec not supported"))
        let failing = run("error('no idea')")
        #expect(failing.status == 2)
        #expect(failing.reported.contains("no idea"))
        let wrong = run("return {}")
        #expect(wrong.status == 2)
        #expect(wrong.reported.contains("mk.on_backup_url: "))
        let net = run("return 'https://example.org/b.mp4'")
        #expect(net.status == 2)
        #expect(net.reported.contains("--allow-net"))
    }

    @Test("a hook of one player does the same, with the codec and the reason")
    func hook() throws {
        let bench = try bench()
        let outcome = bench.run(
            """
            mk.plugins.enable_codec("hevc", false)
            local player = mk.player{ clock = "free" }
            player:hook("backup_url", function(hook)
              print(hook.codec, hook.url, hook.code)
              hook.url = "b.mp4"
            end)
            print(assert(player:open("a.mp4")).url)
            """)
        #expect(outcome.status == 0)
        #expect(outcome.lines == ["hevc\ta.mp4\tdecoder-not-found", "b.mp4"])
    }
}
