// Which filters open files, addresses or libraries by themselves.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// What libavfilter text touches outside the graph.
enum FilterReach {
    /// Filters that always do.
    private static let reaching: Set<String> = [
        "amovie", "movie", "ladspa", "lv2", "frei0r", "frei0r_src", "azmq", "zmq", "arnndn",
        "sofalizer", "asr", "whisper", "libvmaf", "vidstabdetect", "vidstabtransform",
    ]

    /// Options that name a file or an address, beside those with `file` in their name.
    private static let names: Set<String> = [
        "model", "sofa", "bind_address", "datapath", "destination",
    ]

    /// The parts of `text` that reach outside, as `filter` or `filter: option`.
    static func parts(of text: String) -> [String] {
        FilterText.filters(of: text).compactMap { filter in
            if reaching.contains(filter.name) { return filter.name }
            guard let kind = avfilter_get_by_name(filter.name) else { return nil }
            let options = FilterCatalogue.options(of: kind)
            let given = (try? FilterText.named(filter, options)) ?? []
            let found = given.first { key, _ in opens(key, options) }
            return found.map { "\(filter.name): \($0.key)" }
        }
    }

    /// Whether an option of text names something outside.
    private static func opens(_ key: String, _ options: [FilterCatalogue.Option]) -> Bool {
        // A second name of an option stands behind the first.
        guard let place = options.firstIndex(where: { $0.name == key }),
            case .string = options[place].spec.kind
        else { return false }
        var first = place
        while first > 0, options[first].isAlias { first -= 1 }
        let rest = options[first...].dropFirst().prefix { $0.isAlias }
        return ([options[first]] + rest).contains { option in
            option.name.contains("file") || names.contains(option.name)
        }
    }
}
