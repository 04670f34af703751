// Frames and timestamps around a sample kernel.

internal import CDSP
internal import MediaCore
internal import MediaModel

/// Runs a `SampleKernel` on planar Float32 frames.
///
/// It takes the kernel's delay back: output frames carry the timestamps of the samples in them,
/// and after a drain as many samples have come out as went in. Samples that are not finite become
/// 0 before anything hears them; the first of them is logged.
final class PlanarFilter: AudioFilter {
    private let kernel: any SampleKernel
    private let name: String
    private var format: AudioFormat?
    private var toDrop = 0
    private var held = 0
    private var taken = 0
    private var given = 0
    // Where input frames began, by samples taken, and their time in ticks of 1 / sample rate.
    private var marks: [(sample: Int, pts: Int64)] = []
    private var broken = 0

    init(_ name: String, _ kernel: any SampleKernel) {
        self.name = name
        self.kernel = kernel
    }

    var acceptedInput: AudioFormatSet { AudioFormatSet(sampleFormats: [.fltp]) }

    var latency: MediaTime {
        guard let format else { return .zero }
        return TimeBase(1, Int32(format.sampleRate)).time(ticks: Int64(kernel.latency))
    }

    func configure(
        _ input: AudioFormat, accepting output: AudioFormatSet
    ) throws(MediaError) -> AudioFormat {
        guard input.sampleFormat == .fltp, input.sampleRate > 0, input.channelCount > 0 else {
            throw MediaError(.filterFailed, "\(name): \(input) is not planar Float32")
        }
        do {
            try kernel.configure(input)
        } catch {
            throw error.prefixed(name)
        }
        format = input
        restart()
        return input
    }

    func process(
        _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let format else {
            throw MediaError(.invalidState, "\(name): no format was given")
        }
        guard let input else {
            // Silence pushes out what is held back.
            let count = held
            if count > 0 {
                let tail = Frame.makeAudio(format, sampleCount: kernel.latency, pts: nil)
                try run(tail, emit)
            }
            kernel.reset()
            restart()
            return
        }
        guard input.sampleCount > 0 else { return }
        guard input.audioFormat == format else {
            throw MediaError(.filterFailed, "\(name): the format changed without notice")
        }
        mark(input, format)
        taken += input.sampleCount
        held = min(held + input.sampleCount, kernel.latency)
        try run(input.makeUnique(), emit)
    }

    func update(_ options: Options) throws(MediaError) -> FilterUpdate {
        let ignored = kernel.update(options)
        return ignored.isEmpty ? .applied : .ignored(ignored)
    }

    func flush() {
        guard format != nil else { return }
        kernel.reset()
        restart()
    }

    private func restart() {
        toDrop = kernel.latency
        held = 0
        taken = 0
        given = 0
        marks = []
    }

    private func mark(_ frame: Frame, _ format: AudioFormat) {
        guard let pts = frame.pts else { return }
        let ticks = frame.timeBase.rescale(pts, to: TimeBase(1, Int32(format.sampleRate)))
        if let last = marks.last, last.pts + Int64(taken - last.sample) == ticks { return }
        marks.append((taken, ticks))
    }

    private func run(
        _ frame: Frame, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        let count = frame.sampleCount
        let mended = frame.withFloatPlanes { planes -> Int in
            var mended = 0
            for plane in planes { mended += Int(mk_pcm_copy(plane, plane, Int32(count))) }
            kernel.process(planes, frames: count)
            return mended
        }
        if mended > 0, broken == 0 {
            Log.warning("filter", "\(name): samples that are not numbers are taken as silence")
        }
        broken += mended
        let dropped = min(toDrop, count)
        toDrop -= dropped
        guard dropped < count else { return }
        let part = frame.slice(from: dropped, count: count - dropped)
        let stamped = part.stamped(pts: nextTime, timeBase: ticks)
        given += count - dropped
        try emit(stamped)
    }

    private var ticks: TimeBase { TimeBase(1, Int32(format?.sampleRate ?? 1)) }

    /// The time of the next sample that comes out.
    private var nextTime: Int64? {
        while marks.count > 1, marks[1].sample <= given { marks.removeFirst() }
        return marks.first.map { $0.pts + Int64(given - $0.sample) }
    }
}
