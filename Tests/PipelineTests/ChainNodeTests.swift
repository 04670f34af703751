// A chain that changes while sound runs: no click, no lost sample, formats kept.

import Foundation
import MediaCore
import MediaModel
import Pipeline
import Plugins
import TestSupport
import Testing

@Suite("Filters changed while playing")
struct ChainNodeTests {
    private let registry: PluginRegistry
    private let sine = Signal.sine(440, level: -6, seconds: 1)

    init() throws { registry = try BuiltinPlugins.makeRegistry() }

    private func node(_ text: String, _ control: ChainControl?) throws -> ChainNode {
        let chain =
            text.isEmpty ? FilterChain() : try FilterChain(parsing: text, registry: registry)
        return ChainNode(
            chain, registry: registry, accepting: AudioFormatSet(sampleFormats: [.fltp]),
            control: control)
    }

    private func spec(_ text: String) throws -> FilterSpec {
        try #require(try FilterChain(parsing: text, registry: registry).filters.first)
    }

    /// What a sine leaves behind a filter that takes it away: clicks, in dBFS.
    private func click(_ plane: [Float], _ hertz: Double) -> Double {
        let turn = 2 * cos(2 * Double.pi * hertz / 48_000)
        let rest = (2..<plane.count).map { index in
            abs(Double(plane[index]) - turn * Double(plane[index - 1]) + Double(plane[index - 2]))
        }
        return 20 * log10(max(rest.max() ?? 0, 1e-9))
    }

    private func expectSmooth(
        _ output: (signal: Signal, times: [Int64?]), count: Int, _ note: Comment
    ) {
        #expect(output.signal.frames == count, note)
        for plane in output.signal.planes {
            let level = click(plane, 440)
            #expect(level < -60, note)
        }
        var next: Int64 = 0
        for (time, _) in zip(output.times, 0...) {
            #expect((time ?? -1) >= next, note)
            next = time ?? next
        }
    }

    @Test(
        "parameters changed during a sine: no click above -60 dBFS, no sample lost",
        arguments: [1, 333, 960, 4096])
    func changesAreSmooth(block: Int) throws {
        let control = ChainControl()
        let node = try node("volume@v=-20dB", control)
        let added = try spec("volume@w=-6dB")
        var step = 0
        let output = try Workbench.run(sine, blocks: block, through: node) { start in
            guard start >= step * 4800 else { return }
            step += 1
            switch step {
            case 2: control.post(.update(["volume": .string("0dB")], id: 0))
            case 4: control.post(.insert(added, id: 1, before: nil))
            case 5: control.post(.setEnabled(false, id: 0))
            case 6: control.post(.remove(id: 1))
            case 8: control.post(.setEnabled(true, id: 0))
            case 9: control.post(.remove(id: 0))
            default: break
            }
        }
        expectSmooth(output, count: sine.frames, "blocks of \(block)")
        let tail = output.signal.cut(44_500..<48_000)
        let dry = tail.distance(to: sine.cut(44_500..<48_000))
        #expect(dry < 1e-6, "after all changes sound passes as it is")
    }

    @Test("a filter that holds back two frames comes and goes without a lost sample")
    func latencyIsAligned() throws {
        let control = ChainControl()
        let node = try node("", control)
        let dynamic = try spec("dynaudnorm@d=f=50:g=3")
        let output = try Workbench.run(sine, blocks: 1024, through: node) { start in
            if start == 10_240 { control.post(.insert(dynamic, id: 7, before: nil)) }
            if start == 30_720 { control.post(.remove(id: 7)) }
        }
        #expect(output.signal.frames == sine.frames)
        let before = output.signal.cut(0..<10_240).distance(to: sine.cut(0..<10_240))
        #expect(before < 1e-6)
        let after = output.signal.cut(34_000..<48_000).distance(to: sine.cut(34_000..<48_000))
        #expect(after < 1e-6, "the dry sound is back in its place")
        let changed = output.signal.cut(15_000..<25_000).distance(to: sine.cut(15_000..<25_000))
        #expect(changed > 0.05, "the filter was heard")
    }

    @Test("a change is heard within 100 ms of media time")
    func changesComeSoon() throws {
        let control = ChainControl()
        let node = try node("volume@v=0dB", control)
        let output = try Workbench.run(sine, blocks: 960, through: node) { start in
            if start == 9600 { control.post(.update(["volume": .string("-90dB")], id: 0)) }
        }
        let late = output.signal.planes[0][(9600 + 4800)...].map { abs($0) }.max() ?? 1
        #expect(late < 1e-3)
    }

    @Test("many changes at once end where the last one says")
    func aFloodOfChanges() throws {
        let control = ChainControl()
        let node = try node("volume@v=0dB", control)
        let output = try Workbench.run(sine, blocks: 256, through: node) { start in
            if start < 5120 {
                control.post(.update(["volume": .string("-\(start / 256)dB")], id: 0))
            }
        }
        expectSmooth(output, count: sine.frames, "a flood")
        let gain = Float(pow(10, -19.0 / 20))
        let wanted = sine.cut(20_000..<48_000)
        let expected = Signal(wanted.planes.map { $0.map { $0 * gain } }, rate: 48_000)
        #expect(output.signal.cut(20_000..<48_000).distance(to: expected) < 1e-5)
    }

    @Test("a filter that fails to start leaves the sound as it is and is reported")
    func aFailingChangeIsReported() throws {
        let control = ChainControl()
        let failures = Monitor<[String]>([])
        let node = ChainNode(
            FilterChain(), registry: registry, accepting: AudioFormatSet(), control: control
        ) { report in
            if case .failed(_, _, _, let error) = report {
                failures.withLock { $0.append("\(error)") }
            }
        }
        let wrong = FilterSpec(.named("nosuchfilter", [:]))
        let output = try Workbench.run(sine, blocks: 960, through: node) { start in
            if start == 9600 { control.post(.insert(wrong, id: 1, before: nil)) }
        }
        #expect(output.signal.isSame(as: sine))
        #expect(failures.withLock { $0.count } == 1)
    }

    @Test("sample rate or layout changing mid-stream: the output format stays")
    func formatChanges() throws {
        let node = try node("volume=-6dB", nil)
        var formats: Set<String> = []
        var samples = 0
        func feed(_ rate: Int, _ layout: ChannelLayout, _ start: Int) throws {
            let format = AudioFormat(sampleRate: rate, layout: layout)
            let frame = Frame.makeAudio(format, sampleCount: rate / 10, pts: Int64(start))
            try node.process(frame) { output in
                formats.insert(output.audioFormat?.description ?? "none")
                samples += output.sampleCount
            }
        }
        try feed(48_000, .stereo, 0)
        try feed(44_100, .mono, 4410)
        try feed(48_000, .stereo, 9600)
        try node.process(nil) { samples += $0.sampleCount }
        #expect(formats == ["48000 Hz, stereo, fltp"])
        #expect(abs(samples - 14_400) <= 1)
    }

    @Test("after a drain sound may begin anew, as a seek from the end does")
    func drainedAndAgain() throws {
        let node = try node("volume=-6dB", nil)
        let once = try Workbench.run(sine, blocks: 960, through: node)
        node.flush()
        let again = try Workbench.run(sine, blocks: 960, through: node)
        #expect(once.signal.isSame(as: again.signal))
        #expect(again.signal.frames == sine.frames)
    }
}
