// What a plugin's filter takes and gives in a call, and whether that keeps step.

internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

/// The calls of a plugin's `process`: the input each sees and where its output goes.
///
/// Threading: confined.
final class FilterRun {
    /// Samples of each channel that went in and came out since the start or the last flush.
    private(set) var samples = (input: 0, output: 0)
    /// What stopped the output of the call.
    private(set) var error: MediaError?
    /// Whether rates are the same on both sides, so that as much must come out as goes in.
    let keepsRate: Bool

    private let inTicks: TimeBase
    private let outTicks: TimeBase
    private let output: AudioFormat
    private let planeCount: Int
    private let isSameFormat: Bool
    private let isInPlace: Bool
    private var frame: Frame?
    private var sink: ((Frame) throws(MediaError) -> Void)?
    /// The planes of the input, and how many bytes each has.
    private var lent: (planes: [UnsafeMutableRawPointer?], size: Int) = ([], 0)
    /// Where output begins that does not say so itself.
    private var next: Int64?

    private let title: String

    init(_ title: String, from input: AudioFormat, to output: AudioFormat, _ flags: UInt32) {
        self.title = title
        inTicks = TimeBase(1, Int32(input.sampleRate))
        outTicks = TimeBase(1, Int32(output.sampleRate))
        keepsRate = input.sampleRate == output.sampleRate
        self.output = output
        planeCount = output.sampleFormat.isPlanar ? output.channelCount : 1
        isSameFormat = input == output
        isInPlace = flags & UInt32(MK_FILTER_IN_PLACE) != 0
    }

    /// Forgets what came before.
    func reset() {
        samples = (0, 0)
        next = nil
    }

    func begin(_ input: Frame?, _ sink: @escaping (Frame) throws(MediaError) -> Void) {
        frame = isInPlace ? input?.makeUnique() : input
        if let input {
            samples.input += input.sampleCount
            if next == nil, let pts = input.pts {
                next = input.timeBase.rescale(pts, to: outTicks)
            }
        }
        self.sink = sink
        error = nil
    }

    func end() {
        frame = nil
        sink = nil
        lent = ([], 0)
    }

    func withInput(_ body: (UnsafePointer<mk_audio>?) -> Int32) -> Int32 {
        guard let frame, let format = frame.audioFormat else { return body(nil) }
        return frame.withRawPlanes { planes in
            let channels = format.sampleFormat.isPlanar ? 1 : format.channelCount
            lent = (
                Array(planes), frame.sampleCount * channels * format.sampleFormat.bytesPerSample
            )
            var block = mk_audio(
                struct_size: structSize(mk_audio.self),
                sample_count: Int32(clamping: frame.sampleCount), pts: noTime,
                planes: planes.baseAddress, plane_count: planes.count)
            if let pts = frame.pts {
                block.pts =
                    frame.timeBase == inTicks ? pts : frame.timeBase.rescale(pts, to: inTicks)
            }
            return body(&block)
        }
    }

    static let emit: mk_emit = { raw, block in
        guard let raw, let block else { return Int32(MK_BAD_ARGUMENT) }
        return Unmanaged<FilterRun>.fromOpaque(raw).takeUnretainedValue().take(block)
    }

    private func take(_ pointer: UnsafePointer<mk_audio>) -> Int32 {
        let block = readStruct(pointer, zero: mk_audio())
        do throws(MediaError) {
            if let error { throw error }
            guard block.struct_size >= structSize(mk_audio.self) else {
                throw MediaError(
                    .filterFailed,
                    "\(title): it gives a block with struct_size \(block.struct_size)")
            }
            if block.sample_count == 0 { return Int32(MK_OK) }
            let made = try makeFrame(block)
            samples.output += made.sampleCount
            try sink?(made)
            return Int32(MK_OK)
        } catch {
            self.error = error
            return error.code == .cancelled ? Int32(MK_CANCELLED) : Int32(MK_FAILED)
        }
    }

    private func makeFrame(_ block: mk_audio) throws(MediaError) -> Frame {
        let count = Int(block.sample_count)
        guard count > 0, count < 1 << 28, block.plane_count == planeCount, let planes = block.planes
        else {
            throw MediaError(
                .filterFailed,
                "\(title): it gives \(block.sample_count) samples in \(block.plane_count) planes")
        }
        let pts = try place(block.pts, count)
        let given = Array(UnsafeBufferPointer(start: planes, count: planeCount))
        if isSameFormat, let frame, given == lent.planes, count <= frame.sampleCount {
            let whole = count == frame.sampleCount ? frame : frame.slice(from: 0, count: count)
            let isInTime = pts == whole.pts && (pts == nil || whole.timeBase == outTicks)
            return isInTime ? whole : whole.stamped(pts: pts, timeBase: outTicks)
        }
        let bytes =
            count * output.sampleFormat.bytesPerSample
            * (output.sampleFormat.isPlanar ? 1 : output.channelCount)
        for case let plane? in given { try checkReach(of: plane, bytes, count) }
        let made = Frame.makeAudio(output, sampleCount: count, pts: pts)
        try made.withRawPlanes { targets throws(MediaError) in
            for index in 0..<planeCount {
                guard let source = given[index] else {
                    throw MediaError(.filterFailed, "\(title): it gives no plane \(index)")
                }
                targets[index]?.copyMemory(from: source, byteCount: bytes)
            }
        }
        return made
    }

    /// When a block begins: as it says itself, or right behind what came before.
    private func place(_ told: Int64, _ count: Int) throws(MediaError) -> Int64? {
        if told != noTime, outTicks.isAbsurd(told) {
            throw MediaError(.filterFailed, "\(title): it gives sound for sample \(told)")
        }
        let pts = told == noTime ? next : told
        next = pts.map { $0 + Int64(count) }
        return pts
    }

    /// Refuses more samples than there are where a plane lies in the input's own memory.
    private func checkReach(
        of plane: UnsafeMutableRawPointer, _ bytes: Int, _ count: Int
    ) throws(MediaError) {
        for case let start? in lent.planes where plane >= start && plane < start + lent.size {
            guard plane + bytes > start + lent.size else { continue }
            throw MediaError(
                .filterFailed,
                "\(title): it gives \(count) samples, more than the input it passes on has")
        }
    }
}
