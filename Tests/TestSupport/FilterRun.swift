// A filter run on a signal, with changes on the way.

public import MediaCore
public import MediaModel

/// What came out of a filter.
public struct FilterRun: Sendable {
    /// The samples that came out.
    public var signal: Signal
    /// Whether the timestamps followed one another and began with the input's.
    public var isContinuous: Bool
    /// Reasons of ignored changes, in order.
    public var ignored: [String]
    /// The most samples that had gone in and not come out after a frame.
    public var mostHeld: Int
    /// The latency the filter told, in samples.
    public var latency: Int

    /// Runs `signal` through a filter in frames of `lengths`, repeated, and drains it.
    ///
    /// - Parameters:
    ///   - layout: FFmpeg's name of the layout.
    ///   - changes: option values that are set before the frame that holds the sample.
    public init(
        _ plugin: any FilterPlugin, _ values: [String: OptionValue] = [:], _ signal: Signal,
        layout: String, lengths: [Int] = [1024], changes: [(Int, [String: OptionValue])] = []
    ) throws(MediaError) {
        let options = try Options(values, specs: plugin.options, owner: plugin.info.name)
        let filter = try plugin.makeFilter(options)
        try self.init(
            filter, plugin, options, signal, layout: layout, lengths: lengths, changes: changes)
    }

    /// Runs a filter that was made before, and perhaps ran before.
    public init(
        _ filter: any AudioFilter, _ plugin: any FilterPlugin, _ start: Options, _ signal: Signal,
        layout name: String, lengths: [Int] = [1024],
        changes: [(Int, [String: OptionValue])] = []
    ) throws(MediaError) {
        guard let layout = ChannelLayout(named: name) else {
            throw MediaError(.badArgument, "no layout '\(name)'")
        }
        let format = AudioFormat(sampleRate: signal.rate, layout: layout)
        let output = try filter.configure(format, accepting: AudioFormatSet())
        guard output == format else { throw MediaError(.filterFailed, "gives \(output)") }
        var options = start
        var pending = changes
        var run = Collector(channels: format.channelCount)
        var done = 0
        var turn = 0
        ignored = []
        mostHeld = 0
        while done < signal.frames {
            while let next = pending.first, next.0 <= done {
                try options.set(next.1, specs: plugin.options, owner: plugin.info.name)
                if case .ignored(let reasons) = try filter.update(options) { ignored += reasons }
                pending.removeFirst()
            }
            let until = min(pending.first?.0 ?? .max, signal.frames)
            let count = min(lengths[turn % lengths.count], until - done)
            let frame = signal.frame(done..<done + count, format)
            try filter.process(frame) { frame in run.take(frame) }
            done += count
            mostHeld = max(mostHeld, done - (run.planes.first?.count ?? 0))
            turn += 1
        }
        latency = Int(TimeBase(1, Int32(signal.rate)).ticks(filter.latency))
        try filter.process(nil) { frame in run.take(frame) }
        self.signal = Signal(run.planes, rate: signal.rate)
        isContinuous = run.isContinuous
    }

    /// A signal as one frame.
    public static func frame(_ signal: Signal, _ format: AudioFormat) -> Frame {
        signal.frame(0..<signal.frames, format)
    }

    private struct Collector {
        var planes: [[Float]]
        var isContinuous = true
        private var next: Int64 = Signal.startTicks

        init(channels: Int) { planes = Array(repeating: [], count: channels) }

        mutating func take(_ frame: Frame) {
            isContinuous = isContinuous && frame.pts == next
            next += Int64(frame.sampleCount)
            for channel in planes.indices {
                planes[channel] += frame.withPlane(channel, as: Float.self) { Array($0) }
            }
        }
    }
}

extension Signal {
    /// The timestamp of the first sample in runs, so that 0 is nothing special.
    static let startTicks: Int64 = 1_234

    /// Part of the signal as a frame.
    func frame(_ range: Range<Int>, _ format: AudioFormat) -> Frame {
        let frame = Frame.makeAudio(
            format, sampleCount: range.count, pts: Signal.startTicks + Int64(range.lowerBound))
        for (channel, plane) in planes.enumerated() {
            frame.withPlane(channel, as: Float.self) { buffer in
                for (i, sample) in plane[range].enumerated() { buffer[i] = sample }
            }
        }
        return frame
    }

    /// Half the sum of the first two channels.
    public var middle: [Float] { zip(planes[0], planes[1]).map { ($0 + $1) / 2 } }
    /// Half the difference of the first two channels.
    public var side: [Float] { zip(planes[0], planes[1]).map { ($0 - $1) / 2 } }
}
