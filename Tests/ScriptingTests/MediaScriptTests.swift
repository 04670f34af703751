// Chains, batches, probing, measuring, files, text.

import MediaCore
import MediaModel
import Scripting
import TestSupport
import Testing

@Suite("Lua media and text (issue: 4)")
struct MediaScriptTests {
    @Test("the same chain object serves a player and a batch, with the same samples")
    func sameChain() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            local chain = mk.chain{ { "volume", volume = "-6dB", label = "level" }, "alimiter" }
            local url = "synth:sine=frequency=440:duration=1:sample_rate=48000"
            local player = mk.player{ clock = "free", sink = "wav", output = "a.wav" }
            assert(player:use(chain))
            assert(player:open(url))
            player:play()
            assert(player:wait(20))
            player:close()
            local summary = assert(mk.batch({ url }, chain, { output = "b.wav" }))
            assert(summary.done == 1, summary.text)
            local a, b = assert(mk.measure("a.wav")), assert(mk.measure("b.wav"))
            print(("%.2f %.2f"):format(a.integrated, b.integrated))
            print(a.frames == b.frames, math.abs(a.integrated - b.integrated) < 0.05)
            print(tostring(chain))
            """)
        #expect(outcome.reported == "")
        #expect(outcome.lines.dropFirst().first == "true\ttrue")
        #expect(outcome.lines.last == "volume@level=volume='-6dB',alimiter")
    }

    @Test(
        "a wrong chain raises and points at the part that is wrong",
        arguments: [
            ("mk.chain('volume=-3dB,alimitr')", "alimitr"),
            ("mk.chain('normalizer=target=-99')", "target"),
            ("mk.chain{ 'volume=1', { 'normalizer', targt = -16 } }", "element 2: "),
            ("mk.chain{ 'volume=1', { 'normalizer', targt = -16 } }", "did you mean 'target'?"),
            ("mk.chain{ { 'normalizer', target = {} } }", "option 'target'"),
            ("mk.chain{ { label = 'x' } }", "begins with the filter's name"),
            ("mk.chain{ 'volume@a=1', 'alimiter@a' }", "label 'a' is used twice"),
            ("mk.chain{ { 'volume', label = 5 } }", "label: string expected"),
            ("mk.chain{ { 'volume', label = 'a,b' } }", "label 'a,b': a word without"),
            ("mk.chain{ { 'volume', label = '' } }", "label '': a word without"),
            ("mk.chain(42)", "chain (text, list or mk.Chain) expected, got number"),
            ("mk.chain('')", "a filter's name is missing"),
        ])
    func wrongChains(_ text: String, _ message: String) throws {
        let outcome = try ScriptBench().run(text)
        #expect(outcome.status == 2)
        #expect(outcome.reported.contains(message), "\(outcome.reported)")
        #expect(outcome.reported.hasPrefix("script.lua:1:"))
    }

    @Test("a batch tells what it does, reports its files, and skips what is finished")
    func batches() throws {
        let bench = try ScriptBench()
        let text = """
            local events = {}
            local summary = assert(mk.batch{
              inputs = { "synth:sine=duration=1", "nowhere.wav" },
              filter = { { "normalizer", target = -20 } },
              output = "out/{index}.flac",
              report = "out/r.json",
              on_event = function(event) events[event.event] = (events[event.event] or 0) + 1 end,
            })
            print(summary.done, summary.failed, summary.skipped, summary.exit_status)
            print(summary.files[1].output, summary.files[2].error, events.began, events.ended)
            local after = summary.files[1].after
            print(math.abs(after.integrated + 20) < 0.2, mk.file_info("out/r.json").kind)
            """
        let first = bench.run(text)
        #expect(first.reported == "")
        #expect(first.lines == ["1\t1\t0\t1", "out/1.flac\tnot-found\t1\t2", "true\tfile"])
        #expect(bench.run(text).lines.first == "0\t1\t1\t1")
    }

    @Test("a batch beside the script can be cancelled, and leaves nothing half-done")
    func cancelledBatch() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            local job = mk.batch_async("synth:sine", nil, { output = "endless.wav" },
              function(summary, message, code) print(summary, code) end)
            mk.wait(0.1)
            job:cancel()
            mk.run()
            print(mk.file_info("endless.wav"))
            """)
        #expect(outcome.lines == ["nil\tcancelled", "nil"])
        let left = try bench.folder.names().filter { !$0.hasSuffix(".jsonl") }
        #expect(left == [])
    }

    @Test(
        "wrong batches are refused before anything is touched",
        arguments: [
            ("mk.batch{ output = 'x' }", "field 'inputs' is missing"),
            ("mk.batch('synth:sine', nil, {})", "say where outputs go"),
            ("mk.batch('synth:sine', nil, { output = '{nope}' })", "output template"),
            ("mk.batch('synth:sine', nil, { outptu = 'a' })", "did you mean 'output'?"),
            ("mk.batch({ inputs = {}, output = 'a' }, 'volume=1')", "either one table"),
            ("mk.batch({ 1, 2 }, nil, { output = 'a' })", "a list of strings expected"),
        ])
    func wrongBatches(_ text: String, _ message: String) throws {
        let outcome = try ScriptBench().run(text)
        #expect(outcome.status == 2)
        #expect(outcome.reported.contains(message), "\(outcome.reported)")
    }

    @Test("file names that are not UTF-8, with blanks, quotes and newlines go through (bad input)")
    func strangeNames() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            for index, name in ipairs{ "a\\xff\\xfe.wav", "b c.wav", "d'\\"e.wav", "f\\ng.wav" } do
              local player <close> = mk.player{ clock = "free", sink = "wav", output = name }
              assert(player:open("synth:sine=duration=0.2"))
              player:play()
              assert(player:wait(10))
              assert(mk.probe(name), name)
            end
            for _, name in ipairs(mk.glob("*.wav")) do print(#name, (name:gsub("[^%g ]", "?"))) end
            print(select(2, mk.read_file("\\xff")))
            """)
        #expect(outcome.reported == "")
        #expect(
            outcome.lines.prefix(4) == ["7\ta??.wav", "7\tb c.wav", "8\td'\"e.wav", "7\tf?g.wav"])
        #expect(outcome.lines.last?.contains("\\xff") == true)
    }

    @Test("what probe gives is what the stub says")
    func probe() throws {
        let outcome = try ScriptBench().run(
            """
            local player = mk.player{ clock = "free", sink = "wav", output = "a.wav" }
            player:open("synth:sine=duration=2:sample_rate=44100")
            player:play()
            player:wait(10)
            player:close()
            local info = assert(mk.probe("a.wav"))
            print(info.container, info.duration, info.seekable, info.streams[1].sample_rate)
            print(select(3, mk.probe("nowhere.wav")))
            """)
        #expect(outcome.lines == ["wav\t2.0\ttrue\t44100", "not-found"])
    }

    @Test("JSON comes and goes, and what can't be JSON is refused")
    func json() throws {
        let outcome = try ScriptBench().run(
            """
            local text = '{"a":[1,2.5,"x",true,null],"b":{"c":null}}'
            print(mk.json.encode(mk.json.decode(text)))
            print(mk.json.encode({}), mk.json.encode("\\n\\xff"), tostring(mk.json.null))
            assert(mk.json.decode(mk.json.encode("a\\xff\\n")) == "a\\xff\\n")
            assert(mk.json.encode({ -math.huge }) == "[null]")
            print(select(2, pcall(mk.json.decode, "{")))
            for _, value in ipairs{ print, { 1, a = 2 }, 0/0, mk.player() } do
              print((select(2, pcall(mk.json.encode, value))))
            end
            local deep = {}
            for i = 1, 200 do deep = { deep } end
            print((select(2, pcall(mk.json.encode, deep))))
            print(mk.json.encode({ 1 }, "pretty"))
            """)
        #expect(outcome.reported == "")
        #expect(outcome.line(0) == #"{"a":[1,2.5,"x",true,null],"b":{"c":null}}"#)
        #expect(outcome.line(2).contains("line 1"))
        #expect(outcome.line(3).contains("a function can't be JSON"))
        #expect(outcome.line(4).contains("list and names"))
        #expect(outcome.line(5).contains("nan can't be written"))
        #expect(outcome.line(6).contains("mk.Player can't be JSON"))
        #expect(outcome.line(7).contains("100 levels deep"))
    }

    @Test(
        "a small table or text that stands for more than memory holds is refused",
        .enabled(if: !Sanitizer.isOn, "a million values take minutes there"))
    func largeTables() throws {
        let outcome = try ScriptBench().run(
            """
            local twice = {}
            for i = 1, 60 do twice = { twice, twice } end
            print(pcall(mk.json.encode, twice))
            local sparse = {}
            for i = 0, 61 do sparse[1 << i] = true end
            print(pcall(mk.json.encode, sparse))
            local text = ("x"):rep(1 << 20)
            local texts = {}
            for i = 1, 1000 do texts[i] = text end
            print(pcall(mk.json.encode, texts))
            print(pcall(mk.json.decode, "[" .. ("[],"):rep(1000000) .. "1]"))
            """, timeout: Sanitizer.patience(45))
        try #require(outcome.lines.count == 4, "\(outcome.reported)")
        #expect(
            outcome.lines.allSatisfy {
                $0.hasPrefix("false")
            })
        #expect(outcome.line(0).contains("more than can be passed at once"))
        #expect(outcome.line(2).contains("more than can be passed at once"))
        #expect(outcome.line(3).contains("more than can be passed at once"))
    }

    @Test("programs run without a shell, with status, output and errors")
    func programs() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            local r = mk.execute("sh", { "-c", "echo out; echo err >&2; exit 3" })
            print(r.status, r.output, r.errors)
            print(mk.execute("sh", { "-c", "kill -9 $$" }).status)
            print(select(3, mk.execute("no-such-program")))
            assert(mk.execute("mkfifo", { "\(bench.folder.path)/pipe" }).status == 0)
            print(select(3, mk.write_file("pipe", "x")))
            print(select(3, mk.read_file("pipe")))
            print(#mk.execute("head", { "-c", "300000", "/dev/zero" }).output)
            """)
        #expect(
            outcome.printed == "3\tout\n\terr\n\n137\nnot-found\noutput-failed\nio-failed\n300000\n"
        )
    }

    @Test("filters and plugins are listed and described")
    func lists() throws {
        let outcome = try ScriptBench().run(
            """
            local names = {}
            for _, filter in ipairs(mk.filters.list()) do names[filter.name] = filter.origin end
            print(names.audioEnhance, names.volume, names.nosuch)
            for _, option in ipairs(mk.filters.describe("normalizer")) do
              if option.name == "target" then print(option.unit, option.live, option.values) end
            end
            print(mk.filters.describe("normaliser"))
            print(pcall(mk.plugins.enable, "sink", "nosuch", false))
            print(mk.version)
            """)
        #expect(outcome.line(0) == "mediakit\tlibavfilter\tnil")
        #expect(outcome.line(1).hasPrefix("LUFS\ttrue\t"))
        #expect(outcome.line(2).contains("did you mean 'normalizer'?"))
        #expect(outcome.line(3).contains("no sink plugin 'nosuch'"))
        #expect(outcome.line(4) == "1.2.3")
    }
}
