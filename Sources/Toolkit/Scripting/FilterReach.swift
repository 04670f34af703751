// Which libavfilter filters reach beyond the sound that passes them.

/// What a filter can touch besides samples.
///
/// - Source: the option tables of FFmpeg 5.1 and 7.1 (`ffmpeg -h filter=NAME`): every filter with an
///   option that names a file, a plugin library or an address.
enum FilterReach: Sendable {
    case readsFiles
    case writesFiles
    case loadsCode
    case listens

    /// The filters named in libavfilter text that reach beyond it, in order of the text.
    ///
    /// Quotes and backslashes are taken out first, as libavfilter does before it looks a name up; a
    /// word anywhere counts, so that no writing of a chain hides one. Labels (behind `@`) don't.
    static func found(in text: String) -> [(name: String, reach: FilterReach)] {
        let bare = text.unicodeScalars.filter { $0 != "\\" && $0 != "'" }
        let words = bare.split { scalar in
            !(scalar == "_" || (scalar.isASCII && scalar.properties.isAlphabetic)
                || ("0"..."9").contains(scalar))
        }
        return words.compactMap { word in
            let isLabel =
                word.startIndex > bare.startIndex
                && bare[bare.index(before: word.startIndex)] == "@"
            let name = String(String.UnicodeScalarView(word))
            return isLabel ? nil : table[name].map { (name, $0) }
        }
    }

    private static let table: [String: FilterReach] = {
        var table: [String: FilterReach] = [:]
        for name in [
            "amovie", "arnndn", "asendcmd", "asr", "ass", "cellauto", "cover_rect", "derain",
            "dnn_classify", "dnn_detect", "dnn_processing", "drawtext", "fieldhint", "find_rect",
            "flite", "fsync", "lensfun", "libplacebo", "life", "lut1d", "lut3d", "movie", "nnedi",
            "ocr", "ocv", "qrencode",
            "removelogo", "sendcmd", "showcqt", "sofalizer", "sr", "subtitles", "textsub",
            "vidstabtransform", "whisper",
        ] { table[name] = .readsFiles }
        for name in [
            "ametadata", "curves", "deshake", "firequalizer", "libvmaf", "libvmaf_cuda", "metadata",
            "paletteuse",
            "psnr", "selectivecolor", "signature", "ssim", "ssim360", "vidstabdetect", "vmafmotion",
            "xpsnr",
        ] { table[name] = .writesFiles }
        for name in [
            "coreimage", "frei0r", "frei0r_src", "ladspa", "lv2", "openclsrc", "program_opencl",
            "xfade_opencl",
        ] { table[name] = .loadsCode }
        for name in ["azmq", "zmq"] { table[name] = .listens }
        return table
    }()
}
