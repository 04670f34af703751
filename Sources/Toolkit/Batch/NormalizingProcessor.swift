// Loudness normalisation in file mode: measure, one gain, encode, measure what came out.

internal import Loudness
internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

/// Brings each file, or all files as one album, to a target with a constant gain.
///
/// The gain comes from a measurement of the whole programme; a limiter follows only where the true
/// peak demands it. The encoded result is decoded and measured; where an encoder moved loudness or
/// peaks too far, gain and ceiling are corrected and the file is encoded again, twice at most. What
/// can't be reached is said, never bought with a compressor.
///
/// - Source: EBU R 128; tolerances ±0.1 LU and +0.1 dB.
final class NormalizingProcessor: BatchProcessor {
    static let tolerance = 0.1
    static let maximumCorrections = 2

    let job: MediaJob
    let before: FilterChain
    let after: FilterChain
    let target: LoudnessTarget
    let isAlbum: Bool
    let reader: ProgrammeReader
    private let album = Mutex(AlbumState())

    init(
        job: MediaJob, before: FilterChain, after: FilterChain, target: LoudnessTarget,
        isAlbum: Bool
    ) {
        self.job = job
        self.before = before
        self.after = after
        self.target = target
        self.isAlbum = isAlbum
        var accepting = AudioFormatSet(sampleFormats: [.fltp])
        if after.filters.isEmpty {
            // What the output will be, so that conversion does not move what was measured.
            accepting.sampleRates = job.request.settings.sampleRate.map { [$0] } ?? []
            accepting.layouts = job.request.settings.layout.map { [$0] } ?? []
        }
        reader = ProgrammeReader(
            job: job, before: before, accepting: accepting,
            budget: SampleBudget(job.request.sampleBudget))
    }

    var recipe: JSON {
        .object([
            .init("job", job.recipe), .init("album", .bool(isAlbum)),
            .init("target", .double(target.integrated)),
            .init("true_peak", .double(target.truePeak)),
        ])
    }

    func check(_ item: BatchItem) throws(MediaError) { try job.check(item) }

    func process(
        _ item: BatchItem, into file: any OpenFile, at temporary: String,
        _ context: ProcessorContext
    ) throws(MediaError) -> BatchDetails {
        let shared = isAlbum ? album.withLock { $0.take(item.input.path) } : nil
        var programme: Programme
        if let known = shared?.programme {
            programme = known
        } else {
            programme = try reader.measure(item, context) { position, duration in
                context.report(position, duration, from: 0, to: 0.4)
            }
        }
        var details = BatchDetails()
        details.before = programme.measurement
        var setting: GainSetting
        let expected: Double?
        if let shared {
            setting = self.setting(gain: shared.gain, for: programme.measurement)
            expected = setting.ceiling == nil ? programme.measurement.integrated + shared.gain : nil
            details.warnings += shared.warnings
        } else {
            let plan = try self.plan(item, programme, context)
            setting = GainSetting(gain: plan.gain, ceiling: plan.limits ? target.truePeak : nil)
            expected = plan.expectedLoudness
            details.warnings += NormalizingProcessor.notes(plan.outcome)
        }
        let broken = programme.measurement.brokenSamples
        if broken > 0 { details.warnings.append("\(broken) samples are no numbers, taken as 0") }
        setting.mendsBroken = broken > 0
        let pass = EncodingPass(processor: self, item: item, programme: programme, context: context)
        try pass.run(setting, expected: expected, into: file, at: temporary, &details)
        details.warnings = programme.warnings + details.warnings
        return details
    }

    /// The gain for one file alone.
    private func plan(
        _ item: BatchItem, _ programme: Programme, _ context: ProcessorContext
    ) throws(MediaError) -> NormalizationPlan {
        var plan = NormalizationPlan(for: programme.measurement, target: target)
        while plan.needsTrial {
            let setting = GainSetting(gain: plan.gain, ceiling: target.truePeak)
            plan.refine(trial: try reader.trial(item, programme, setting, context).loudness)
        }
        return plan
    }

    /// A gain, with a limiter where the programme's peaks would pass the ceiling.
    func setting(gain: Double, for measurement: LoudnessMeasurement) -> GainSetting {
        let peak = (measurement.truePeak ?? measurement.samplePeak) + gain
        return GainSetting(gain: gain, ceiling: peak > target.truePeak ? target.truePeak : nil)
    }

    static func notes(_ outcome: NormalizationPlan.Outcome) -> [String] {
        switch outcome {
        case .onTarget: []
        case .silent: ["silence, left as it is"]
        case .belowTarget(let missing):
            [
                "\(shown(missing)) LU below the target: the true-peak ceiling does not allow more "
                    + "without compression"
            ]
        }
    }

    static func shown(_ number: Double) -> String {
        let hundredths = Int((abs(number) * 100).rounded())
        let cents = hundredths % 100
        return "\(number < 0 ? "-" : "")\(hundredths / 100).\(cents < 10 ? "0" : "")\(cents)"
    }
}

// MARK: An album

/// What the files of an album share.
private struct AlbumState {
    var programmes: [PathKey: Programme] = [:]
    var gain = 0.0
    var warnings: [String] = []

    /// What is known of one file; its sound is kept no longer than until here.
    mutating func take(_ path: String) -> (programme: Programme?, gain: Double, warnings: [String])
    {
        let programme = programmes[PathKey(path)]
        programmes[PathKey(path)]?.cache = nil
        return (programme, gain, warnings)
    }
}

extension NormalizingProcessor {
    var needsSurvey: Bool { isAlbum }

    func survey(_ item: BatchItem, _ context: ProcessorContext) throws(MediaError) {
        let programme = try reader.measure(item, context) { position, duration in
            context.report(position, duration, from: 0, to: 0.4)
        }
        album.withLock { $0.programmes[PathKey(item.input.path)] = programme }
    }

    func settle(_ items: [BatchItem], _ context: ProcessorContext) throws(MediaError) -> JSON {
        let known = album.withLock { $0.programmes }
        let parts = items.compactMap { item in
            known[PathKey(item.input.path)].map { (item: item, programme: $0) }
        }
        var plan = NormalizationPlan(
            for: LoudnessMeasurement.group(
                parts.map { ($0.programme.measurement, $0.programme.blocks) }), target: target)
        while plan.needsTrial {
            var blocks: [BlockEnergies] = []
            for part in parts {
                let setting = setting(gain: plan.gain, for: part.programme.measurement)
                if setting.ceiling == nil {
                    blocks.append(part.programme.blocks.amplified(by: plan.gain))
                } else {
                    blocks.append(
                        try reader.trial(part.item, part.programme, setting, context).blocks)
                }
            }
            plan.refine(trial: BlockEnergies.integrated(blocks))
        }
        let gain = plan.gain
        let warnings = NormalizingProcessor.notes(plan.outcome).map { "album: \($0)" }
        album.withLock { state in
            state.gain = gain
            state.warnings = warnings
        }
        return .object([
            .init("gain", .double(gain)),
            .init("integrated", .double(plan.measurement.integrated)),
            .init("warnings", .array(warnings.map { .string($0) })),
        ])
    }

    func restore(_ plan: JSON) -> Bool {
        guard let gain = plan["gain"]?.number else { return false }
        let warnings = plan["warnings"]?.elements?.compactMap(\.text) ?? []
        album.withLock { state in
            state.gain = gain
            state.warnings = warnings
        }
        return true
    }
}
