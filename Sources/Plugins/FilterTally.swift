// Whether what comes out of a filter keeps step with what went in.

internal import MediaCore
internal import MediaModel

/// Counts the sound on both sides of a filter that is checked, and refuses what breaks the header's
/// promise: as much comes out as goes in, each block right behind the one before, and no more is
/// held back than the filter tells.
struct FilterTally {
    private let input: AudioFormat
    private let output: AudioFormat
    private var given = 0
    private var taken = 0
    /// When the first block began, in samples of the input, and when the next one must.
    private var start: Int64?
    private var next: Int64?

    /// Begins at the start or behind a flush.
    init(_ input: AudioFormat, _ output: AudioFormat) {
        self.input = input
        self.output = output
    }

    private var keepsRate: Bool { input.sampleRate == output.sampleRate }

    /// Notes a block of input.
    mutating func give(_ frame: Frame) {
        given += frame.sampleCount
        start = start ?? frame.pts
    }

    /// Notes a block of output.
    mutating func take(_ frame: Frame) throws(MediaError) {
        taken += frame.sampleCount
        guard taken <= most else {
            throw broken("\(given) samples went in, and \(taken) or more come out")
        }
        if let pts = frame.pts {
            // Where the rate changes, times are rounded.
            let expected = next ?? (keepsRate ? start : nil)
            if let expected, abs(pts - expected) > (keepsRate ? 0 : 1) {
                throw broken(
                    "a block begins at sample \(pts); \(expected) comes next")
            }
            next = pts + Int64(frame.sampleCount)
        }
    }

    /// What may have come out; where the rate changes a second more, for rounding.
    private var most: Int {
        keepsRate ? given : (given / input.sampleRate + 2) * output.sampleRate
    }

    /// Looks at the latency that is told, and at what is held back.
    func check(latencyOf filter: any AudioFilter) throws(MediaError) {
        let told = (filter as? LoadedFilter)?.toldLatency ?? 0
        guard (0...LoadedFilter.latencyLimit(input)).contains(told) else {
            throw broken("it tells a latency of \(told) samples")
        }
        if keepsRate, given - taken > told {
            throw broken(
                "it holds back \(given - taken) samples, and tells a latency of \(told)")
        }
    }

    /// Looks at the sums behind the drain.
    func finish() throws(MediaError) {
        if keepsRate, given != taken {
            throw broken("\(given) samples went in, and \(taken) came out")
        }
    }

    private func broken(_ why: String) -> MediaError { MediaError(.pluginUnusable, why) }
}
