// Names of codecs as people write them.

internal import CFFmpeg
internal import MediaCore

/// FFmpeg's names of codecs, and what else these are called.
enum CodecName {
    /// What people write, in small letters and without what separates, and FFmpeg's name of it.
    private static let others = [
        "h265": "hevc", "hvc1": "hevc", "h266": "vvc", "vvc1": "vvc", "avc": "h264", "avc1": "h264",
        "h262": "mpeg2video", "mpeg2": "mpeg2video", "mpeg1": "mpeg1video", "ec3": "eac3",
    ]
    /// Codecs that plugins bring and FFmpeg 5.1 may not know.
    private static let added = ["vvc"]

    /// FFmpeg's name of a codec, where it is one of its own or another in use for it.
    static func canonical(_ text: String) -> String? {
        let small = text.lowercased()
        if isKnown(small) { return small }
        let bare = String(small.filter { $0 != "." && $0 != "-" && $0 != "_" && $0 != " " })
        if isKnown(bare) { return bare }
        return others[bare]
    }

    private static func isKnown(_ name: String) -> Bool {
        name != "none" && (added.contains(name) || avcodec_descriptor_get_by_name(name) != nil)
    }

    /// All names, for suggestions.
    static var all: [String] {
        var names = added + others.keys.sorted()
        var next = avcodec_descriptor_next(nil)
        while let descriptor = next {
            names.append(String(cString: descriptor.pointee.name))
            next = avcodec_descriptor_next(descriptor)
        }
        return names
    }
}
