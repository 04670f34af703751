// What must hold before an input may be replaced by its result.

internal import MediaCore
internal import MediaModel
internal import Pipeline

extension MediaJob {
    /// Whether an input is replaced, and nobody insists on it.
    private func isCareful(_ item: BatchItem) -> Bool {
        item.isInPlace && !request.repeatsFinished
    }

    private static let wayOn =
        "write it elsewhere with --output, or replace it all the same with --force"

    /// Refuses to replace a damaged input by what could be read of it.
    func refuseDamage(
        _ item: BatchItem, _ isDamaged: Bool, _ warnings: [String]
    ) throws(MediaError) {
        guard isDamaged, isCareful(item) else { return }
        throw MediaError(
            .containerMalformed,
            "\(item.input.path.printable) is damaged, and what can't be read would be lost in place "
                + "(\(warnings.first ?? "")); \(MediaJob.wayOn)")
    }

    /// Refuses to replace an input by a result that has not all of its streams and chapters, or
    /// keeps its sound in a codec that loses some.
    ///
    /// - Parameter temporary: where the result lies.
    func refuseLoss(
        _ item: BatchItem, _ report: TranscodeReport, at temporary: String,
        _ context: ProcessorContext
    ) throws(MediaError) {
        guard isCareful(item) else { return }
        try refuseOtherCodec(item, report)
        let chapters = report.input.chapters.count
        var lost = report.input.streams.filter { report.dropped.contains($0.index) }.map(\.title)
        if chapters > 0 {
            let kept = try info(of: temporary, context).chapters.count
            if kept < chapters { lost.append(kept == 0 ? "its chapters" : "some of its chapters") }
        }
        guard !lost.isEmpty else { return }
        throw MediaError(
            .containerUnsupported,
            "\(item.input.path.printable): in place, \(lost.joined(separator: ", ")) would be lost, "
                + "for \(report.container) can't hold that; \(MediaJob.wayOn)")
    }

    /// Refuses a codec that nobody named and that does not keep all of the sound.
    private func refuseOtherCodec(
        _ item: BatchItem, _ report: TranscodeReport
    ) throws(MediaError) {
        guard request.settings.audioEncoder == nil, request.preset.audioEncoder == nil else {
            return
        }
        for stream in report.input.streams {
            let codec = stream.parameters.codecName
            guard
                let encoded = report.encoded.first(where: {
                    $0.index == stream.index && $0.kind == .audio
                }), encoded.codec != codec,
                CodecParameters.isLossless(encoded.codec) == false
            else { continue }
            throw MediaError(
                .containerUnsupported,
                "\(item.input.path.printable): in place, \(stream.title) would become "
                    + "\(encoded.codec), which loses sound, for nothing encodes \(codec) into "
                    + "\(report.container); name an encoder with --audio-encoder, \(MediaJob.wayOn)"
            )
        }
    }

    /// The container of the output; nil to go by its name.
    ///
    /// In place it stays the input's own, whatever its name says.
    func container(
        of item: BatchItem, _ context: ProcessorContext
    ) throws(MediaError) -> String? {
        if let container = request.settings.container ?? request.preset.container {
            return container
        }
        guard item.isInPlace else { return nil }
        let demuxer = try info(of: item.input.path, context).containerName
        do throws(MediaError) {
            return try registry.muxer().container(readBy: demuxer, path: item.output)
        } catch {
            throw MediaError(
                error.code,
                "\(item.input.path.printable): in place, the file keeps its container, but nothing "
                    + "writes \(demuxer); write it elsewhere with --output")
        }
    }

    private func info(
        of path: String, _ context: ProcessorContext
    ) throws(MediaError) -> MediaInfo {
        let source = try registry.openSource(
            path,
            SourceContext(registry: registry, cancellation: context.cancellation, files: files))
        defer { source.close() }
        return source.info
    }
}

extension StreamInfo {
    /// What a person calls it.
    fileprivate var title: String {
        let codec = parameters.codecName
        return isAttachedPicture
            ? "its cover picture (stream \(index), \(codec))"
            : "its \(kind.rawValue) stream \(index) (\(codec))"
    }
}
