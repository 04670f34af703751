// Transcoding one file as a batch does it, without a look at the whole programme first.

internal import MediaCore
internal import MediaModel
internal import Pipeline

/// Chooses how the files of a request are worked on.
enum MediaProcessor {
    /// A processor for the chain: one that measures first where a filter wants that.
    static func make(
        _ request: BatchRequest, registry: PluginRegistry, files: any FileSystem
    ) throws(MediaError) -> any BatchProcessor {
        let job = MediaJob(request: request, registry: registry, files: files)
        var found: (index: Int, plan: FileModePlan)?
        for (index, spec) in request.chain.filters.enumerated() where spec.isEnabled {
            try registry.check(spec)
            guard case .named(let name, let values) = spec.body else { continue }
            let (plugin, options) = try registry.options(name, values)
            guard let plan = plugin.fileModePlan(spec, options) else { continue }
            guard found == nil else {
                throw MediaError(
                    .badArgument,
                    "filter chain: loudness is normalised twice; a batch does it once, by "
                        + "measuring the whole file")
            }
            found = (index, plan)
        }
        try registry.admit(request.chain.filters)
        guard let found else {
            if request.isAlbum {
                throw MediaError(
                    .badArgument, "album: the chain has no filter that normalises loudness")
            }
            return TranscodingProcessor(job: job)
        }
        let filters = request.chain.filters
        return NormalizingProcessor(
            job: job,
            before: FilterChain(filters[..<found.index] + found.plan.before),
            after: FilterChain(Array(filters[(found.index + 1)...])),
            target: found.plan.target,
            isAlbum: request.isAlbum || found.plan.target.isAlbum)
    }
}

/// What every file of a request has in common.
struct MediaJob: Sendable {
    let request: BatchRequest
    let registry: PluginRegistry
    let files: any FileSystem

    /// One file through `chain` into `file`.
    func transcode(
        _ item: BatchItem, into file: any OpenFile, _ context: ProcessorContext,
        adjusting: (inout TranscodeRequest) -> Void = { _ in },
        progress: @escaping @Sendable (MediaTime, MediaTime?) -> Void
    ) throws(MediaError) -> TranscodeReport {
        let container = try container(of: item, context)
        try check(item, container)
        var transcode = TranscodeRequest(
            url: item.input.path, chain: request.chain, preset: request.preset,
            settings: request.settings, outputPath: item.output)
        transcode.settings.container = container
        transcode.settings.isBitExact = true
        transcode.threading = context.isAlone ? .pipelined : .inline
        transcode.audio = request.audio
        adjusting(&transcode)
        return try Transcoder(transcode, registry: registry, files: files)
            .run(into: file, cancellation: context.cancellation, progress: progress)
    }

    /// Refuses an output whose container is unknown, or is no single file.
    func check(_ item: BatchItem) throws(MediaError) {
        let container = request.settings.container ?? request.preset.container
        // In place it is the input's own, which nobody has looked at yet.
        if !item.isInPlace || container != nil { try check(item, container) }
    }

    private func check(_ item: BatchItem, _ container: String?) throws(MediaError) {
        let muxer = MuxerRequest(container: container, path: item.output)
        if try registry.muxer().facts(muxer).writesOwnFiles {
            throw MediaError(
                .containerUnsupported,
                "\(item.output.printable): a batch makes one file of each input, and this "
                    + "container writes several")
        }
    }

    /// What decides about the bytes besides the chain, in a fixed order.
    var recipe: JSON {
        let settings = request.settings
        func pairs(_ options: [String: String]) -> JSON {
            .object(options.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
        }
        func text(_ value: (some CustomStringConvertible)?) -> JSON {
            value.map { .string($0.description) } ?? .null
        }
        return .object([
            .init("container", text(settings.container ?? request.preset.container)),
            .init("audio_encoder", text(settings.audioEncoder ?? request.preset.audioEncoder)),
            .init("audio_bitrate", text(settings.audioBitRate)),
            .init("sample_rate", text(settings.sampleRate)),
            .init("layout", text(settings.layout)),
            .init("audio_options", pairs(settings.audioOptions)),
            .init("video_encoder", text(settings.videoEncoder ?? request.preset.videoEncoder)),
            .init("video_bitrate", text(settings.videoBitRate)),
            .init("video_options", pairs(settings.videoOptions)),
            .init("container_options", pairs(settings.containerOptions)),
            .init("audio", .string("\(request.audio)")),
            .init(
                "kinds",
                .string(request.preset.kinds.map(\.rawValue).sorted().joined(separator: " "))),
            // What was replaced by another version is not to be filtered twice.
            .init("plugins", request.isInPlace ? .null : .string(registry.signature)),
        ])
    }
}

/// Reads, filters, encodes and writes each file in one pass.
struct TranscodingProcessor: BatchProcessor {
    let job: MediaJob

    var recipe: JSON { job.recipe }

    func check(_ item: BatchItem) throws(MediaError) { try job.check(item) }

    func process(
        _ item: BatchItem, into file: any OpenFile, at temporary: String,
        _ context: ProcessorContext
    ) throws(MediaError) -> BatchDetails {
        let report = try job.transcode(item, into: file, context) { position, duration in
            context.report(position, duration, from: 0, to: 1)
        }
        try job.refuseDamage(item, report.isDamaged, report.warnings)
        try job.refuseLoss(item, report, at: temporary, context)
        return BatchDetails(report)
    }
}

extension BatchDetails {
    /// What a transcoder reports.
    init(_ report: TranscodeReport) {
        duration = report.input.duration
        encoder = report.encoded.first { $0.kind == .audio }?.encoder
        warnings = report.warnings
    }
}
