// What every filter of sound must keep, whatever it does.

import Filters
import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("Contract of every audio filter (A8.1–A8.8; issue: mono, stereo, 5.1, 7.1; NaN samples)")
struct AudioFilterContract {
    struct Case: Sendable, CustomTestStringConvertible {
        let plugin: any FilterPlugin
        let values: [String: OptionValue]

        var testDescription: String {
            plugin.info.name + " "
                + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                .joined(separator: ":")
        }

        func run(
            _ signal: Signal, _ layout: String, lengths: [Int] = [1024]
        ) throws -> FilterRun {
            try FilterRun(plugin, values, signal, layout: layout, lengths: lengths)
        }
    }

    /// The example filter in C, loaded as a user loads it.
    static let loaded: Result<any FilterPlugin, any Error> = Result {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        try bench.loader.load(try Workshop.example("tremolo", in: folder))
        return try #require(bench.registry.filter(named: "tremolo-c"))
    }

    /// What is built in and what is loaded: the same holds for both.
    static let plugins = AllFilters.plugins + [try? loaded.get()].compactMap(\.self)

    /// Every filter with its defaults and with everything switched on.
    static let cases: [Case] = plugins.flatMap { plugin in
        [Case(plugin: plugin, values: [:]), Case(plugin: plugin, values: everything(plugin))]
    }

    static func everything(_ plugin: any FilterPlugin) -> [String: OptionValue] {
        var values: [String: OptionValue] = [:]
        for spec in plugin.options where spec.kind == .bool && spec.name.hasPrefix("enable") {
            values[spec.name] = .bool(true)
        }
        if plugin.info.name == "outputChannel" { values["channel"] = .string("left") }
        return values
    }

    /// Every option of every filter at both ends of its range, or with each of its words.
    static let ends: [Case] = plugins.flatMap { plugin in
        plugin.options.flatMap { spec -> [Case] in
            let found: [OptionValue] =
                switch spec.kind {
                case .bool: [.bool(false), .bool(true)]
                case .int(let range): [.int(range.lowerBound), .int(range.upperBound)]
                case .double(let range): [.double(range.lowerBound), .double(range.upperBound)]
                case .choice(let words): words.filter { $0 != "file" }.map { .string($0) }
                case .string: []
                }
            return found.map { value in
                var values = everything(plugin)
                values[spec.name] = value
                return Case(plugin: plugin, values: values)
            }
        }
    }

    static let layouts = ["mono", "stereo", "5.1", "7.1"]

    static func channels(_ layout: String) throws -> Int {
        try #require(ChannelLayout(named: layout)).channelCount
    }

    @Test("silence stays silence, at any rate and layout", arguments: cases)
    func silence(_ test: Case) throws {
        for (index, rate) in [8_000, 44_100, 96_000, 192_000].enumerated() {
            let layout = AudioFilterContract.layouts[index]
            let input = Signal.silence(
                seconds: 0.15, channels: try AudioFilterContract.channels(layout), rate: rate)
            let run = try test.run(input, layout)
            #expect(run.signal.isSame(as: input), "\(layout) at \(rate)")
        }
    }

    @Test("as many samples out as in, timestamps in a row, latency as told", arguments: cases)
    func length(_ test: Case) throws {
        for layout in AudioFilterContract.layouts {
            let channels = try AudioFilterContract.channels(layout)
            for frames in [1, 100, 5_000, 20_000] {
                let input = Signal.noise(level: -20, seconds: 1, channels: channels, rate: 44_100)
                    .cut(0..<frames)
                let run = try test.run(input, layout)
                #expect(run.signal.frames == frames)
                #expect(run.isContinuous)
                #expect(run.mostHeld <= run.latency)
                #expect(frames < 20_000 || run.latency == 0 || run.mostHeld == run.latency)
            }
        }
    }

    @Test("the result does not depend on the length of frames", arguments: cases)
    func frameLengths(_ test: Case) throws {
        let input = Signal.music(seconds: 0.15, rate: 44_100)
        let whole = try test.run(input, "stereo", lengths: [input.frames])
        for lengths in [[1], [7], [1024], [1, 4_000, 441]] {
            let run = try test.run(input, "stereo", lengths: lengths)
            #expect(run.signal.isSame(as: whole.signal), "\(lengths)")
        }
    }

    @Test("after a flush, and after a drain, it starts like new", arguments: cases)
    func flush(_ test: Case) throws {
        let plugin = test.plugin
        let options = try Options(test.values, specs: plugin.options, owner: "test")
        let filter = try plugin.makeFilter(options)
        let input = Signal.music(seconds: 0.3)
        func run() throws -> Signal {
            try FilterRun(filter, plugin, options, input, layout: "stereo").signal
        }
        let first = try run()
        let drained = try run()
        #expect(drained.isSame(as: first))
        let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
        let frame = FilterRun.frame(.noise(level: -3, seconds: 0.1), format)
        try filter.process(frame) { _ in }
        filter.flush()
        let flushed = try run()
        #expect(flushed.isSame(as: first))
    }

    @Test("every option at both ends gives sound, finite and of the right length", arguments: ends)
    func optionEnds(_ test: Case) throws {
        let input = Signal.music(seconds: 0.3)
        let run = try test.run(input, "stereo")
        #expect(run.signal.frames == input.frames)
        #expect(run.signal.isFinite)
        #expect(level(run.signal.planes[0]) > level(input.planes[0]) - 20)
    }

    @Test("samples that are not finite are taken as 0 and never stick", arguments: cases)
    func notFinite(_ test: Case) throws {
        var mended = Signal.music(seconds: 0.3)
        for i in 0..<4 { mended.planes[i % 2][5_000 + i] = 0 }
        var broken = mended
        broken.planes[0][5_000] = .nan
        broken.planes[1][5_001] = .infinity
        broken.planes[0][5_002] = -.infinity
        broken.planes[1][5_003] = 1e38
        let expected = try test.run(mended, "stereo")
        let run = try test.run(broken, "stereo")
        #expect(run.signal.isSame(as: expected.signal))
    }

    @Test("a filter whose parts are all off leaves every sample as it is, aligned")
    func off() throws {
        for layout in AudioFilterContract.layouts {
            let channels = try AudioFilterContract.channels(layout)
            let input = Signal.noise(level: 3, seconds: 0.3, channels: channels, rate: 44_100)
            for plugin in [AudioEnhance(), OutputChannel()] as [any FilterPlugin] {
                let run = try FilterRun(plugin, [:], input, layout: layout)
                #expect(run.signal.isSame(as: input), "\(plugin.info.name) \(layout)")
            }
        }
    }

    @Test("the loaded example is among them (issue 3: the suite passes on a plugin in C)")
    func includesLoaded() throws {
        let plugin = try AudioFilterContract.loaded.get()
        #expect(plugin.origin?.name == "tremolo-c")
        #expect(AudioFilterContract.cases.contains { $0.plugin.info.name == "tremolo-c" })
        #expect(AudioFilterContract.ends.filter { $0.plugin.info.name == "tremolo-c" }.count == 4)
    }

    @Test("the built-in registry has them, each with a summary for every option")
    func registered() throws {
        let registry = try BuiltinPlugins.makeRegistry()
        for plugin in AllFilters.plugins {
            #expect(registry.filter(named: plugin.info.name) != nil)
            #expect(plugin.options.allSatisfy { $0.summary.hasSuffix(".") })
        }
    }
}
