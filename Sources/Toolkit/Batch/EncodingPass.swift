// Gain, encoding and the check of what was encoded, for one file.

internal import Loudness
internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

/// Encodes a measured programme until the result is what was planned.
struct EncodingPass {
    let processor: NormalizingProcessor
    let item: BatchItem
    let programme: Programme
    let context: ProcessorContext

    private var job: MediaJob { processor.job }

    /// Writes the output and notes what was done.
    ///
    /// - Parameter expected: the loudness that the result should have; nil where one file of an
    ///   album is as loud as its gain makes it.
    func run(
        _ planned: GainSetting, expected: Double?, into file: any OpenFile, at temporary: String,
        _ details: inout BatchDetails
    ) throws(MediaError) {
        var setting = planned
        var corrections = 0
        while true {
            let report = try encode(setting, into: file)
            try job.refuseDamage(item, report.isDamaged, report.warnings)
            try job.refuseLoss(item, report, at: temporary, context)
            details.duration = report.input.duration
            details.encoder = report.encoded.first { $0.kind == .audio }?.encoder
            details.gain = setting.gain
            details.isLimited = setting.ceiling != nil
            guard let result = try measure(temporary, report, setting, &details) else { return }
            details.after = result
            guard processor.after.filters.isEmpty, !programme.measurement.isSilent else {
                details.warnings += report.warnings
                return
            }
            let error = Deviation(result, expected: expected, ceiling: processor.target.truePeak)
            guard error.isTooLarge, corrections < NormalizingProcessor.maximumCorrections else {
                details.warnings += report.warnings + error.notes
                return
            }
            corrections += 1
            setting = error.corrected(setting)
            try file.seek(to: 0)
            try file.truncate(to: 0)
        }
    }

    private func encode(
        _ setting: GainSetting, into file: any OpenFile
    ) throws(MediaError) -> TranscodeReport {
        let accepting = processor.reader.accepting
        let frames = programme.cache?.frames
        let position = frames == nil ? processor.before.filters.count : 0
        let chain =
            frames == nil
            ? FilterChain(processor.before.filters + processor.after.filters) : processor.after
        return try job.transcode(
            item, into: file, context,
            adjusting: { request in
                request.chain = chain
                request.feed = frames.map(AudioFeed.init(replaying:))
                request.extra = ExtraFilters(at: position) {
                    [GainFilter(setting, accepting: accepting)]
                }
            },
            progress: { position, duration in
                context.report(position, duration, from: 0.4, to: 0.75)
            })
    }

    /// Decodes what was written and measures it; nil for what no demuxer reads (bare samples).
    ///
    /// An output that holds the meant samples has the loudness that follows from their energies;
    /// any other is measured by a meter of its own.
    private func measure(
        _ temporary: String, _ report: TranscodeReport, _ setting: GainSetting,
        _ details: inout BatchDetails
    ) throws(MediaError) -> LoudnessMeasurement? {
        do throws(MediaError) {
            var comparison = comparison(setting)
            var isFirst = true
            var differs = false
            let meter = ProgrammeMeter()
            try decode(temporary, report) { frame throws(MediaError) in
                if comparison?.matches(frame) == false {
                    comparison = nil
                    differs = !isFirst
                }
                isFirst = false
                if comparison == nil, !differs { try meter.add(frame) }
            }
            if comparison?.isComplete == true {
                return programme.measurement(behind: setting.gain)
            }
            guard differs || comparison != nil else { return meter.measurement }
            // Different only later on, or too short: the meter must hear all of it.
            let whole = ProgrammeMeter()
            try decode(temporary, report) { frame throws(MediaError) in try whole.add(frame) }
            return whole.measurement
        } catch {
            guard EncodingPass.isUnreadable(error) else { throw error }
            details.warnings += report.warnings + ["the output can't be measured: \(error.message)"]
            return nil
        }
    }

    /// What the output holds if the encoder is lossless; nil where that can't be said.
    private func comparison(_ setting: GainSetting) -> SampleComparison? {
        // Far under this, rounding to whole steps is a part of the loudness.
        let isLoud = programme.measurement.integrated + setting.gain > -45
        guard isLoud, setting.ceiling == nil, !setting.mendsBroken,
            processor.after.filters.isEmpty, let frames = programme.cache?.frames
        else { return nil }
        return SampleComparison(frames, factor: setting.factor)
    }

    /// Hands over the sound of the output.
    private func decode(
        _ temporary: String, _ report: TranscodeReport,
        _ receive: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        var request = FrameRequest(url: temporary)
        if let encoded = report.encoded.first(where: { $0.kind == .audio }) {
            let missing = report.dropped.filter { $0 < encoded.index }.count
            request.audio = .stream(encoded.index - missing)
        }
        request.threading = context.isAlone ? .pipelined : .inline
        _ = try FrameReader(request, registry: job.registry, files: job.files).run(
            cancellation: context.cancellation,
            progress: { position, duration in
                context.report(position, duration, from: 0.75, to: 1)
            }, receive)
    }
}

extension EncodingPass {
    /// Whether an output can't be told from any other bytes, which is no fault of the output.
    private static func isUnreadable(_ error: MediaError) -> Bool {
        error.code == .containerUnsupported || error.code == .containerMalformed
    }
}

/// How far an encoded result is from what was planned.
private struct Deviation {
    /// In LU; 0 where nothing was expected.
    var loudness = 0.0
    /// In dB above the ceiling; negative below it.
    var peak: Double
    /// In dBTP.
    var ceiling: Double

    init(_ result: LoudnessMeasurement, expected: Double?, ceiling: Double) {
        if let expected, expected.isFinite, result.integrated.isFinite {
            loudness = result.integrated - expected
        }
        self.ceiling = ceiling
        peak = (result.truePeak ?? result.samplePeak) - ceiling
    }

    var isTooLarge: Bool {
        abs(loudness) > NormalizingProcessor.tolerance || peak > NormalizingProcessor.tolerance
    }

    /// Gain and ceiling that make up for it.
    func corrected(_ setting: GainSetting) -> GainSetting {
        var setting = setting
        if abs(loudness) > NormalizingProcessor.tolerance { setting.gain -= loudness }
        if peak > NormalizingProcessor.tolerance {
            // A little more than was missing, for the encoder does not do the same twice.
            setting.ceiling = (setting.ceiling ?? ceiling) - peak - 0.05
        }
        return setting
    }

    var notes: [String] {
        var notes: [String] = []
        if abs(loudness) > NormalizingProcessor.tolerance {
            notes.append(
                "the encoder moved the loudness by \(NormalizingProcessor.shown(loudness)) LU")
        }
        if peak > NormalizingProcessor.tolerance {
            notes.append(
                "the encoded peaks pass the ceiling by \(NormalizingProcessor.shown(peak)) dB")
        }
        return notes
    }
}

extension AudioFeed {
    /// Feeds frames that are in memory.
    fileprivate init(replaying frames: [Frame]) {
        let next = Mutex(0)
        self.init {
            let index = next.withLock { index in
                defer { index += 1 }
                return index
            }
            return index < frames.count ? frames[index].shared : nil
        }
    }
}
