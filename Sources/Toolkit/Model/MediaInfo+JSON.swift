// The facts of a medium for programs: `mediakit probe --json` and `mk.probe`.

public import MediaCore

extension MediaInfo {
    /// All facts; times in seconds, rates in Hz and bit/s, unknown ones null.
    public var json: JSON {
        .object([
            .init("schema", .string("mediakit.probe/1")), .init("url", .string(url)),
            .init("container", .string(containerName)),
            .init("duration", JSON(duration?.seconds)),
            .init("start_time", .double(startTime.seconds)),
            .init("bit_rate", JSON(bitRate)), .init("size", JSON(size.map { Int($0) })),
            .init("seekable", .bool(isSeekable)), .init("metadata", JSON(metadata)),
            .init("streams", .array(streams.map(\.json))),
            .init("chapters", .array(chapters.map(\.json))),
        ])
    }
}

extension StreamInfo {
    /// All facts of the stream.
    public var json: JSON {
        var members: [JSON.Member] = [
            .init("index", .int(Int64(index))), .init("kind", .string(kind.rawValue)),
            .init("codec", .string(parameters.codecName)),
            .init("tag", parameters.tag.isEmpty ? .null : .string(parameters.tag)),
            .init("profile", parameters.profile.map { .string($0) } ?? .null),
            .init("bit_rate", JSON(parameters.bitRate)),
            .init("start_time", JSON(startTime?.seconds)),
            .init("duration", JSON(duration?.seconds)),
            .init("time_base", .string(timeBase.description)),
            .init("language", language.map { .string($0) } ?? .null),
            .init("disposition", .array(dispositionNames.map { .string($0) })),
            .init("decoder", decoder?.json ?? .null),
        ]
        if let audio = parameters.audioFormat {
            members += [
                .init("sample_rate", .int(Int64(audio.sampleRate))),
                .init("channels", .int(Int64(audio.channelCount))),
                .init("layout", .string(audio.layout.name)),
                .init("sample_format", .string(audio.sampleFormat.rawValue)),
                .init("bits_per_sample", JSON(parameters.bitsPerRawSample)),
            ]
        }
        if let video = parameters.videoFormat {
            members += [
                .init("width", .int(Int64(video.width))),
                .init("height", .int(Int64(video.height))),
                .init("pixel_format", .string(video.pixelFormat)),
                .init(
                    "frame_rate", JSON(isAttachedPicture ? nil : frameRate?.description)),
                .init("sample_aspect_ratio", .string(video.sampleAspectRatio.description)),
                .init("rotation", JSON(rotation)),
            ]
        }
        if let color = parameters.color {
            members += [
                .init("color_range", JSON(color.range)), .init("color_matrix", JSON(color.matrix)),
                .init("color_primaries", JSON(color.primaries)),
                .init("color_transfer", JSON(color.transfer)), .init("hdr", .bool(color.isHDR)),
            ]
        }
        return .object(members + [.init("metadata", JSON(metadata))])
    }
}

extension Chapter {
    fileprivate var json: JSON {
        .object([
            .init("id", .int(id)), .init("start", .double(start.seconds)),
            .init("end", .double(end.seconds)), .init("metadata", JSON(metadata)),
        ])
    }
}

extension JSON {
    fileprivate init(_ number: Int?) { self = number.map { .int(Int64($0)) } ?? .null }
    fileprivate init(_ text: String?) { self = text.map { .string($0) } ?? .null }
    fileprivate init(_ number: Double?) { self = number.map { .double($0) } ?? .null }
    fileprivate init(_ metadata: [MetadataEntry]) {
        self = .object(metadata.map { .init($0.name, .string($0.value)) })
    }
}
