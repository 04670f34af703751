// Goes over from one stream of sound to another without a click or a lost sample.

package import MediaCore
package import MediaModel

/// Samples waiting in frames, taken out in any number.
package struct SampleQueue {
    private var frames: [Frame] = []
    private var used = 0

    /// Samples of each channel that wait.
    package private(set) var count = 0

    /// Makes an empty queue.
    package init() {}

    /// Appends a frame.
    package mutating func append(_ frame: Frame) {
        guard frame.sampleCount > 0 else { return }
        frames.append(frame)
        count += frame.sampleCount
    }

    /// When the first waiting sample is due, in ticks of 1 / sample rate.
    package var time: Int64? {
        frames.first.flatMap { frame in frame.pts.map { $0 + Int64(used) } }
    }

    /// Takes the next samples, at most `limit`, as they lie in one frame.
    package mutating func take(_ limit: Int) -> Frame? {
        guard limit > 0, let first = frames.first else { return nil }
        let length = min(limit, first.sampleCount - used)
        let part = first.slice(from: used, count: length)
        used += length
        count -= length
        if used == first.sampleCount {
            frames.removeFirst()
            used = 0
        }
        return part
    }

    /// Takes exactly `length` samples as one frame of its own; nil where fewer wait.
    package mutating func gather(_ length: Int) -> Frame? {
        guard length > 0, count >= length, let first = frames.first else { return nil }
        if used == 0, first.sampleCount == length { return take(length) }
        guard let format = first.audioFormat else { return nil }
        let whole = Frame.makeAudio(format, sampleCount: length, pts: time)
        var filled = 0
        while filled < length, let first = frames.first {
            let part = min(length - filled, first.sampleCount - used)
            whole.copySamples(from: first, at: used, to: filled, count: part)
            filled += part
            used += part
            count -= part
            if used == first.sampleCount {
                frames.removeFirst()
                used = 0
            }
        }
        return whole
    }

    /// Drops everything.
    package mutating func removeAll() { self = SampleQueue() }
}

/// Mixes the end of one stream into the beginning of another of the same format.
///
/// The weights add up to one, so that equal sound stays as it is, and have no corner. Before `start` the old stream passes, behind the fade the new one.
package struct Crossfade {
    private let start: Int64
    private let length: Int
    private var faded = 0
    private var old = SampleQueue()
    private var new = SampleQueue()

    /// Fades over `length` samples from the time `start` on, in ticks of 1 / sample rate.
    package init(start: Int64, length: Int) {
        self.start = start
        self.length = max(1, length)
    }

    /// Whether the new stream is alone now.
    package var isDone: Bool { faded >= length }

    /// Appends to the stream that goes.
    package mutating func appendOld(_ frame: Frame) { if !isDone { old.append(frame) } }

    /// Appends to the stream that comes.
    package mutating func appendNew(_ frame: Frame) { new.append(frame) }

    /// Emits what can be emitted; all of it at the end of both streams.
    package mutating func resolve(
        atEnd: Bool = false, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        while faded == 0, let time = old.time, time < start,
            let part = old.take(Int(clamping: start - time))
        {
            try emit(part)
        }
        while !isDone {
            let count = min(length - faded, old.count, new.count)
            guard count > 0, let from = old.gather(count), let to = new.gather(count) else { break }
            let mixed = to.makeUnique()
            mixed.mix(from, weight: weights(count))
            faded += count
            try emit(mixed)
        }
        if atEnd, !isDone {
            while let part = old.take(.max) { try emit(part) }
            faded = length
        }
        guard isDone else { return }
        old.removeAll()
        while let part = new.take(.max) { try emit(part) }
    }

    /// How much of the old stream is heard at each of the next samples.
    ///
    /// - Source: the quintic 6p⁵ − 15p⁴ + 10p³, whose slope and bend are zero at both ends.
    private func weights(_ count: Int) -> [Double] {
        (0..<count).map { index in
            let phase = (Double(faded + index) + 0.5) / Double(length)
            return 1 - phase * phase * phase * (phase * (6 * phase - 15) + 10)
        }
    }
}

extension Frame {
    /// Makes this frame `weight × other + (1 − weight) × itself`, sample by sample.
    ///
    /// - Shape: both of one format and length; `weight` has one value a sample.
    func mix(_ other: Frame, weight: [Double]) {
        guard let format = audioFormat?.sampleFormat else { return }
        switch format {
        case .flt, .fltp:
            blend(other, weight, Float.self) {
                Float($0)
            } read: {
                Double($0)
            }
        case .dbl, .dblp:
            blend(other, weight, Double.self) {
                $0
            } read: {
                $0
            }
        case .u8, .u8p: blend(other, weight, UInt8.self, write: rounded, read: { Double($0) })
        case .s16, .s16p: blend(other, weight, Int16.self, write: rounded, read: { Double($0) })
        case .s32, .s32p: blend(other, weight, Int32.self, write: rounded, read: { Double($0) })
        case .s64, .s64p: blend(other, weight, Int64.self, write: rounded, read: { Double($0) })
        }
    }

    private func rounded<Sample: FixedWidthInteger>(_ value: Double) -> Sample {
        value >= Double(Sample.max)
            ? .max : value <= Double(Sample.min) ? .min : Sample(value.rounded())
    }

    private func blend<Sample: BitwiseCopyable>(
        _ other: Frame, _ weight: [Double], _ type: Sample.Type,
        write: (Double) -> Sample, read: (Sample) -> Double
    ) {
        let planes = audioFormat.map { $0.sampleFormat.isPlanar ? $0.channelCount : 1 } ?? 0
        for plane in 0..<planes {
            withPlane(plane, as: type) { target in
                other.withPlane(plane, as: type) { source in
                    guard source.count == target.count, !weight.isEmpty else { return }
                    let stride = max(1, target.count / weight.count)
                    for index in target.indices where index / stride < weight.count {
                        let share = weight[index / stride]
                        target[index] = write(
                            read(source[index]) * share + read(target[index]) * (1 - share))
                    }
                }
            }
        }
    }
}
