// What muxers are told where nobody says otherwise, so that what they get is kept.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Options that FFmpeg's library leaves out by default, and the sizes its muxers can't say.
enum MuxerDefaults {
    /// How far the clock of a program may be ahead of its packets, as FFmpeg's command line has it:
    /// the time that decoders get to fill their buffers.
    static let maximumDelay: Int32 = 700_000

    /// Beyond this a file of WAV or AIFF can't say how large it is.
    private static let fourGiB: Int64 = 1 << 32

    /// The options of a muxer.
    ///
    /// - Parameter needsLargeSizes: whether a file may pass 4 GiB.
    static func options(
        _ name: String, _ metadata: [MetadataEntry], needsLargeSizes: Bool
    ) -> [String: String] {
        switch name {
        // Covers and most tags have no other place.
        case "aiff": return ["write_id3v2": "1"]
        case "wav":
            var options: [String: String] = [:]
            if metadata.isOfBroadcast { options["write_bext"] = "1" }
            if needsLargeSizes { options["rf64"] = "auto" }
            return options
        default: return [:]
        }
    }

    /// How many bytes a file can have; nil where its sizes are large enough for anything.
    static func limit(_ name: String, _ options: [String: String]) -> Int64? {
        switch name {
        case "aiff", "mmf", "rm", "swf": fourGiB
        case "wav": ["auto", "always", "1", "-1"].contains(options["rf64"]) ? nil : fourGiB
        default: nil
        }
    }

    /// The muxers that drop chapters without a word; Ogg keeps those of Opus.
    static let withoutChapters: Set<String> = [
        "wav", "w64", "caf", "au", "flac", "oga", "ogg", "ogv", "spx", "tta", "wv", "adts", "ac3",
        "eac3", "dts", "truehd", "mlp", "amr", "mp2", "mpegts", "mpeg", "vob", "svcd", "vcd", "dvd",
        "avi", "flv", "mxf", "gxf", "wtv",
    ]

    /// Whether a muxer writes down that pictures are to be turned.
    static func keepsRotation(_ name: String) -> Bool {
        switch name {
        // Newer versions write Matroska's roll.
        case "matroska", "webm": avformat_version() >> 16 >= 61
        case "mpegts", "mpeg", "vob", "svcd", "vcd", "dvd", "avi", "flv", "mxf", "gxf", "wtv",
            "asf",
            "ogv", "ogg", "nut":
            false
        default: true
        }
    }

    /// Whether sound of this kind may pass 4 GiB, filters that make it longer included.
    static func mayBeLarge(_ parameters: AVCodecParameters, _ template: StreamInfo?) -> Bool {
        guard let seconds = template?.duration?.seconds else { return true }
        let bits = max(av_get_bits_per_sample(parameters.codec_id), 32)
        let rate = Double(parameters.sample_rate) * Double(parameters.ch_layout.nb_channels)
        let room = 4.0
        return seconds * rate * Double(bits) / 8 * room > Double(fourGiB)
    }
}

extension [MetadataEntry] {
    /// The same where the samples since midnight, which a broadcast WAV counts, are of another rate.
    func countingSamples(at rate: Int, not old: Int) -> [MetadataEntry] {
        guard rate != old, rate > 0, old > 0 else { return self }
        return map { entry in
            guard entry.name == "time_reference", let count = Int64(entry.value) else {
                return entry
            }
            return MetadataEntry(
                entry.name, String(av_rescale(count, Int64(rate), Int64(old))))
        }
    }
}
