// One input as it was measured: figures, and its sound where that fits in memory.

internal import Loudness
internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

/// A measured input.
struct Programme: Sendable {
    var measurement: LoudnessMeasurement
    var blocks: BlockEnergies
    var duration: MediaTime?
    var warnings: [String]
    /// Everything behind the filters that come before the measurement.
    var cache: SampleCache?
}

/// Reads programmes, from memory or once more from the input.
struct ProgrammeReader: Sendable {
    let job: MediaJob
    /// What the sound passes before it is measured.
    let before: FilterChain
    /// The formats in which it is measured.
    let accepting: AudioFormatSet
    let budget: SampleBudget

    // Frames that wait between limiting and measuring.
    private static let framesBetween = 64

    /// Measures a whole input, and keeps its sound where that fits.
    func measure(
        _ item: BatchItem, _ context: ProcessorContext,
        progress: @escaping @Sendable (MediaTime, MediaTime?) -> Void
    ) throws(MediaError) -> Programme {
        let meter = ProgrammeMeter()
        let length = Mutex<MediaTime?>(nil)
        let cache = SampleCache(budget)
        var isExpected = false
        let report = try read(
            item, context,
            progress: { position, duration in
                length.withLock { $0 = duration }
                progress(position, duration)
            }
        ) { frame throws(MediaError) in
            // Progress, and with it the length, is told behind the first frame.
            if !isExpected, let length = length.withLock({ $0 }) {
                isExpected = true
                cache.expect(ProgrammeReader.bytes(of: length, like: frame))
            }
            cache.keep(frame)
            try meter.add(frame)
        }
        try job.refuseDamage(item, report.isDamaged, report.warnings)
        return Programme(
            measurement: meter.measurement, blocks: meter.blocks, duration: report.input.duration,
            warnings: report.warnings, cache: cache)
    }

    /// The size of so much sound as planar Float32.
    private static func bytes(of length: MediaTime, like frame: Frame) -> Int {
        guard let format = frame.audioFormat else { return 0 }
        let samples = min(max(0, length.seconds) * Double(format.sampleRate), 1e12)
        return Int(samples) * format.channelCount * 4
    }

    /// Hands over all frames of a programme, from memory where they are.
    func replay(
        _ item: BatchItem, _ programme: Programme, _ context: ProcessorContext,
        _ receive: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let frames = programme.cache?.frames {
            for frame in frames {
                try context.cancellation.check()
                try receive(frame.shared)
            }
        } else {
            _ = try read(item, context, progress: { _, _ in }, receive)
        }
    }

    private func read(
        _ item: BatchItem, _ context: ProcessorContext,
        progress: @escaping @Sendable (MediaTime, MediaTime?) -> Void,
        _ receive: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) -> FrameReport {
        var request = FrameRequest(url: item.input.path, chain: before)
        request.accepting = accepting
        request.audio = job.request.audio
        request.threading = context.isAlone ? .pipelined : .inline
        return try FrameReader(request, registry: job.registry, files: job.files)
            .run(cancellation: context.cancellation, progress: progress, receive)
    }

    /// The loudness of a programme behind gain and limiter.
    func trial(
        _ item: BatchItem, _ programme: Programme, _ setting: GainSetting,
        _ context: ProcessorContext
    ) throws(MediaError) -> (loudness: Double, blocks: BlockEnergies) {
        let meter = ProgrammeMeter(.energies)
        if context.isAlone {
            try trialBeside(item, programme, setting, context, meter)
        } else {
            try amplify(item, programme, setting, context) { frame throws(MediaError) in
                try meter.add(frame)
            }
        }
        return (meter.integrated, meter.blocks)
    }

    /// A programme behind gain and limiter, frame by frame.
    private func amplify(
        _ item: BatchItem, _ programme: Programme, _ setting: GainSetting,
        _ context: ProcessorContext, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        let filter = GainFilter(setting, accepting: accepting)
        var isConfigured = false
        try replay(item, programme, context) { frame throws(MediaError) in
            if !isConfigured, let format = frame.audioFormat {
                _ = try filter.configure(format, accepting: accepting)
                isConfigured = true
            }
            try filter.process(frame, emit: emit)
        }
        if isConfigured { try filter.process(nil, emit: emit) }
    }

    /// Limits on another thread and measures on this one.
    private func trialBeside(
        _ item: BatchItem, _ programme: Programme, _ setting: GainSetting,
        _ context: ProcessorContext, _ meter: ProgrammeMeter
    ) throws(MediaError) {
        let queue = BoundedQueue<Frame>(limit: ProgrammeReader.framesBetween)
        let failure = Mutex<MediaError?>(nil)
        let thread = WorkerThread("mk-limit") {
            do throws(MediaError) {
                try amplify(item, programme, setting, context) { frame throws(MediaError) in
                    guard queue.push(frame) else { throw MediaError(.cancelled, "cancelled") }
                }
            } catch {
                failure.withLock { $0 = error }
            }
            queue.finish()
        }
        let outcome: Result<Void, MediaError>
        do throws(MediaError) {
            while case .element(let frame, _)? = queue.pop() { try meter.add(frame) }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        queue.close()
        thread.join()
        // What ends the measuring closes the queue, which the limiter takes for its end.
        try outcome.get()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
