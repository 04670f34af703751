// Filters of a running player.

import Foundation
import MediaCore
import MediaModel
import Playback
import TestSupport
import Testing

@Suite("Filters of a player while it plays", .timeLimit(.minutes(20)))
struct PlayerFilterTests {
    @Test("a change is heard within 100 ms of media time, without a lost sample (real time)")
    func heardSoon() throws {
        // The second half comes once the change was made, so that it does not come too late.
        let gate = Gate()
        let stage = try TestStage(
            clock: .realtime,
            scripts: ["held": (TestStage.sine, [.packets(45), .stall(gate)])])
        try stage.player.add(try stage.filter("volume@v=0dB"))
        _ = try stage.player.open("fake:held")
        stage.player.play()
        #expect(stage.sink.wait(samples: 24_000))
        let before = stage.sink.sound.frames
        try stage.player.update("v", ["volume": .string("-90dB")])
        let after = stage.sink.sound.frames
        gate.open()
        try stage.end()
        let plane = stage.sink.sound.planes[0]
        #expect(plane.count == 96_000)
        let loud = plane[..<before].suffix(4800).map { abs($0) }.max() ?? 0
        #expect(loud > 0.05)
        // 100 ms, and the block that was under way.
        let quiet = plane.dropFirst(after + 4800 + 960).map { abs($0) }.max() ?? 1
        #expect(quiet < 1e-3)
    }

    @Test("add, remove, enable, update and use, by label")
    func labels() throws {
        let stage = try TestStage()
        let player = stage.player
        try player.add(try stage.filter("volume@a=-6dB"))
        try player.add(try stage.filter("volume@b=-6dB"), at: 0)
        #expect(player.snapshot.filters.filters.map(\.title) == ["b", "form", "a"])
        #expect(throws: MediaError.self) { try player.add(try stage.filter("volume@a=0dB")) }
        #expect(throws: MediaError.self) { try player.remove("c") }
        #expect(throws: MediaError.self) { try player.update("a", ["volum": .double(1)]) }
        try player.setEnabled("b", false)
        #expect(player.snapshot.filters.filters[0].isEnabled == false)
        _ = try player.open(TestStage.sine)
        try player.remove("b")
        try player.use(try stage.chain("aformat@form=sample_fmts=fltp,volume@z=-20dB"))
        player.play()
        try stage.end()
        let sound = stage.sink.sound
        #expect(sound.frames == 96_000)
        let peak = sound.planes[0][48_000...].map { abs($0) }.max() ?? 0
        let expected = Float(0.125 * pow(10, -20.0 / 20))
        #expect(abs(peak - expected) < 0.001)
        #expect(player.snapshot.filters.description.contains("volume@z=-20dB"))
    }

    @Test("a filter may be of a plugin that came after the medium was opened")
    func laterPlugin() throws {
        let stage = try TestStage()
        try stage.registry.setEnabled(.filter, "outputChannel", false)
        _ = try stage.player.open(TestStage.sine)
        try stage.registry.setEnabled(.filter, "outputChannel", true)
        try stage.player.add(try stage.filter("outputChannel@late=channel=left"))
        stage.player.play()
        try stage.end()
        #expect(stage.sink.sound.frames == 96_000)
        #expect(stage.player.snapshot.filters.filters.map(\.title).contains("late"))
    }

    @Test("the chain that a program hands over is checked before anything changes")
    func refusals() throws {
        let stage = try TestStage()
        let wrong = FilterChain([FilterSpec(.named("nosuch", [:]))])
        #expect(throws: MediaError.self) { try stage.player.use(wrong) }
        #expect(stage.player.snapshot.filters.filters.map(\.title) == ["form"])
    }

    @Test("audioEnhance while playing: dialogue follows, a later surround type is ignored and told")
    func enhances() throws {
        let url =
            "synth:sine=frequency=440:sample_rate=48000:duration=3[l];"
            + "sine=frequency=550:sample_rate=48000:duration=3[r];[l][r]amerge=2"
        // The rest of it comes once all was asked for, so that it does not end before.
        let gate = Gate()
        let stage = try TestStage(
            clock: .realtime, scripts: ["held": (url, [.packets(60), .stall(gate)])])
        try stage.player.add(
            try stage.filter(
                "audioEnhance@e=enable_surround=1:surround_effect_type=3DSurround:"
                    + "enable_dialoguenhance=1:dialoguenhance_voice=2"), at: 0)
        _ = try stage.player.open("fake:held")
        stage.player.play()
        #expect(stage.sink.wait(samples: 24_000))
        try stage.player.update("e", ["dialoguenhance_voice": .double(9)])
        try stage.player.update("e", ["surround_effect_type": .string("wide")])
        // Right behind it: what is told of the one before must not take this back.
        try stage.player.update("e", ["dialoguenhance_voice": .double(7)])
        gate.open()
        let event = stage.events.wait(named: "filter_ignored")
        guard case .filterIgnored("e", let reasons)? = event else {
            Issue.record("no filter_ignored came")
            return
        }
        #expect(reasons.contains { $0.contains("surround_effect_type") })
        let text = stage.player.snapshot.filters.description
        #expect(text.contains("surround_effect_type=3DSurround"))
        #expect(text.contains("dialoguenhance_voice=7"))
        try stage.player.setEnabled("e", false)
        try stage.end()
        #expect(stage.sink.sound.frames == 144_000)
    }

    @Test("filters stay over a seek and over another medium")
    func stays() throws {
        let stage = try TestStage()
        try stage.player.add(try stage.filter("volume@v=-20dB"))
        _ = try stage.player.open(TestStage.steps)
        _ = try stage.player.seek(to: MediaTime(seconds: 9), precision: .exact)
        stage.player.play()
        try stage.end()
        let peak = stage.sink.sound.planes[0].map { abs($0) }.max() ?? 0
        #expect(abs(peak - 0.05) < 0.002)
        #expect(stage.sink.sound.frames == 48_000)
        _ = try stage.player.open(TestStage.sine)
        stage.player.play()
        try stage.end()
        #expect(stage.sink.sound.frames == 48_000 + 96_000)
    }

    @Test("an update of a libavfilter filter replaces what was set, and quotes what it sets")
    func updatesRawText() throws {
        let stage = try TestStage()
        let player = stage.player
        func text(_ label: String) -> String? {
            player.snapshot.filters.filters.first { $0.label == label }?.description
        }
        try player.add(FilterSpec(.raw("volume=0.5"), label: "v"))
        for volume in ["0.1", "0.2", "0.3"] {
            try player.update("v", ["volume": .string(volume), "precision": .string("float")])
        }
        #expect(text("v") == "volume@v=0.5:precision=float:volume=0.3")
        #expect(throws: MediaError.self) {
            try player.update("v", ["volume": .string("0.5',volume='0.1")])
        }
        #expect(throws: MediaError.self) { try player.update("v", ["volume": .string("1:eval=x")]) }
        #expect(throws: MediaError.self) {
            try player.update("v", ["volume=1,anull=x": .string("1")])
        }
        #expect(text("v") == "volume@v=0.5:precision=float:volume=0.3")
        let odd = "it's 1:2, [a]; \\ = "
        try player.add(FilterSpec(.raw("ametadata=mode=add:key=k:value='a\\:b'"), label: "m"))
        try player.update("m", ["value": .string(odd)])
        try player.update("m", ["key": .string("other")])
        let again = try stage.filter(try #require(text("m")))
        #expect(again.description == text("m"))
        #expect(throws: MediaError.self) { try player.update("m", ["mode": .string(odd)]) }
        // Which of several filters is meant can't be known.
        try player.add(FilterSpec(.raw("volume=1,anull"), label: "two"))
        #expect(throws: MediaError.self) { try player.update("two", ["volume": .double(2)]) }
        #expect(text("two") == "volume@two=1,anull")
        _ = try player.open(TestStage.sine)
        player.play()
        try stage.end()
        let peak = stage.sink.sound.planes[0].map { abs($0) }.max() ?? 0
        #expect(abs(peak - 0.125 * 0.3) < 0.001)
    }

    @Test("a change that the running chain can't make is taken back from the list")
    func listsWhatRuns() throws {
        let stage = try TestStage(clock: .realtime, plugins: [FailingFilterPlugin()])
        let player = stage.player
        func warned(_ text: String) -> Bool {
            stage.events.wait { if case .warning(text) = $0 { true } else { false } } != nil
        }
        func list() -> String { player.snapshot.filters.description }
        let form = "aformat@form=sample_fmts=fltp"
        try player.add(FilterSpec(.named("failing", [:]), label: "f"))
        _ = try player.open(TestStage.endless)
        player.play()
        #expect(stage.sink.wait(samples: 4800))
        try player.add(FilterSpec(.named("failing", ["trouble": .string("make")]), label: "g"))
        #expect(warned("filter g: not made"))
        #expect(list() == form + ",failing@f")
        try player.update("f", ["trouble": .string("update")])
        #expect(warned("filter f: not updated"))
        #expect(list() == form + ",failing@f")
        try player.setEnabled("f", false)
        try player.update("f", ["trouble": .string("make")])
        try player.setEnabled("f", true)
        #expect(warned("filter f: not made"))
        #expect(player.snapshot.filters.filters.last?.isEnabled == false)
        #expect(list() == form + ",failing@f=trouble=make")
    }
}

/// Makes a filter that does nothing, or fails to.
private struct FailingFilterPlugin: FilterPlugin {
    let info = PluginInfo(name: "failing", summary: "For the test.")
    let options = [OptionSpec("trouble", .string, default: .string("none"), "What fails.")]

    func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        if options.string("trouble") == "make" { throw MediaError(.filterFailed, "not made") }
        return Filter()
    }

    private final class Filter: AudioFilter {
        func configure(
            _ input: AudioFormat, accepting output: AudioFormatSet
        ) throws(MediaError) -> AudioFormat { input }

        func process(
            _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
        ) throws(MediaError) {
            if let input { try emit(input) }
        }

        func update(_ options: Options) throws(MediaError) -> FilterUpdate {
            if options.string("trouble") == "update" {
                throw MediaError(.filterFailed, "not updated")
            }
            return .applied
        }

        func flush() {}
    }
}
