// What the border to plugins costs: one filter built in and loaded, turn by turn, over 30 minutes of
// stereo; prints seconds of processor time, a round a line.

import BenchSwell
import Glibc
import MediaCore
import MediaModel
import Plugins

/// The filter of the plugin, built in.
final class BuiltinSwell: AudioFilter {
    private var rate: Int32 = 0
    private var phase = 0.0

    var acceptedInput: AudioFormatSet { AudioFormatSet(sampleFormats: [.fltp]) }
    var latency: MediaTime { .zero }

    func configure(
        _ input: AudioFormat, accepting output: AudioFormatSet
    ) throws(MediaError) -> AudioFormat {
        rate = Int32(input.sampleRate)
        return input
    }

    func process(
        _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let frame = input?.makeUnique() else { return }
        frame.withFloatPlanes { planes in
            let pointers: [UnsafeMutablePointer<Float>?] = planes
            swell_run(pointers, Int32(planes.count), Int32(frame.sampleCount), rate, &phase)
        }
        try emit(frame)
    }

    func flush() { phase = 0 }
}

let format = AudioFormat(sampleRate: 48_000, layout: .stereo, sampleFormat: .fltp)
let blockLength = 4096

/// Seconds of processor time that 30 minutes take.
func measure(_ filter: any AudioFilter) throws(MediaError) -> Double {
    _ = try filter.configure(format, accepting: AudioFormatSet(sampleFormats: [.fltp]))
    var samples = 0
    var frame = Frame.makeAudio(format, sampleCount: blockLength, pts: 0)
    let begin = clock()
    while samples < 30 * 60 * format.sampleRate {
        try filter.process(frame) { next in
            samples += next.sampleCount
            frame = next.stamped(pts: Int64(samples), timeBase: next.timeBase)
        }
    }
    return Double(clock() - begin) / Double(CLOCKS_PER_SEC)
}

do {
    let registry = try BuiltinPlugins.makeRegistry()
    let loader = PluginLoader(into: registry)
    _ = try loader.load(CommandLine.arguments[1])
    guard let loaded = registry.filter(named: "swell") else {
        throw MediaError(.pluginUnusable, "no filter 'swell'")
    }
    for _ in 0..<(Int(CommandLine.arguments[2]) ?? 5) {
        let inside = try measure(BuiltinSwell())
        let outside = try measure(loaded.makeFilter(Options()))
        print(inside, outside)
    }
} catch {
    print(error)
    exit(1)
}
