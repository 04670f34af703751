// Details of a file as JSON and back, for the journal and the report.

internal import Loudness
internal import MediaCore

extension BatchDetails {
    /// The members of a report's row.
    var members: [JSON.Member] {
        [
            .init("duration", duration.map { .double($0.seconds) } ?? .null),
            .init("wall", .double(wall.seconds)),
            .init("before", before.map(\.json) ?? .null),
            .init("after", after.map(\.json) ?? .null),
            .init("gain", gain.map { .double($0) } ?? .null),
            .init("limited", .bool(isLimited)),
            .init("encoder", encoder.map { .string($0) } ?? .null),
            .init("warnings", .array(warnings.map { .string($0) })),
        ]
    }

    init(_ json: JSON) {
        duration = json["duration"]?.number.map { MediaTime(seconds: $0) }
        wall = MediaTime(seconds: json["wall"]?.number ?? 0)
        before = json["before"].flatMap { LoudnessMeasurement($0) }
        after = json["after"].flatMap { LoudnessMeasurement($0) }
        gain = json["gain"]?.number
        isLimited = json["limited"] == .bool(true)
        encoder = json["encoder"]?.text
        warnings = json["warnings"]?.elements?.compactMap(\.text) ?? []
    }
}

extension LoudnessMeasurement {
    /// The figures by name; −∞ is null.
    var json: JSON {
        .object([
            .init("integrated", .double(integrated)), .init("range", .double(range)),
            .init("momentary_max", .double(momentaryMaximum)),
            .init("short_term_max", .double(shortTermMaximum)),
            .init("true_peak", .double(truePeak ?? -.infinity)),
            .init("sample_peak", .double(samplePeak)),
            .init("broken_samples", .int(Int64(brokenSamples))),
            .init("frames", .int(Int64(frames))),
        ])
    }

    init?(_ json: JSON) {
        guard let range = json["range"]?.number, let frames = json["frames"]?.integer else {
            return nil
        }
        func decibels(_ name: String) -> Double { json[name]?.number ?? -.infinity }
        self.init(
            integrated: decibels("integrated"), range: range,
            momentaryMaximum: decibels("momentary_max"),
            shortTermMaximum: decibels("short_term_max"), truePeak: decibels("true_peak"),
            samplePeak: decibels("sample_peak"),
            brokenSamples: Int(json["broken_samples"]?.integer ?? 0), frames: Int(frames))
    }
}
