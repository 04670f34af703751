// libavfilter's filters and their option tables, as data.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// What filters there are and what options they take.
enum FilterCatalogue {
    /// An option of a filter, by one of its names.
    struct Option {
        var name: String
        /// Whether it is a second name of the option before it.
        var isAlias: Bool
        var spec: OptionSpec
    }

    /// The names of all filters, of pictures too.
    static var names: [String] { all.map { String(cString: $0.pointee.name) } }

    /// The filters that take sound and give sound.
    static var filtersOfSound: [PluginInfo] {
        all.filter { takes($0, isOutput: false) && takes($0, isOutput: true) }.map { filter in
            PluginInfo(
                name: String(cString: filter.pointee.name),
                summary: filter.pointee.description.map { String(cString: $0) } ?? "",
                version: String(cString: av_version_info()))
        }.sorted { $0.name < $1.name }
    }

    /// The options of a filter, further names in their sentences; nil where it doesn't exist.
    static func describe(_ name: String) -> [OptionSpec]? {
        guard let filter = avfilter_get_by_name(name) else { return nil }
        var specs: [OptionSpec] = []
        for option in options(of: filter) {
            guard option.isAlias, let last = specs.last else {
                specs.append(option.spec)
                continue
            }
            specs[specs.count - 1] = OptionSpec(
                last.name, last.kind, default: last.defaultValue, unit: last.unit,
                live: last.isLive, "\(last.summary) (also \(option.name))")
        }
        return specs
    }

    /// The options of a filter in the order in which values without a name are given.
    static func options(of filter: UnsafePointer<AVFilter>) -> [Option] {
        options(filter.pointee.priv_class)
    }

    /// The options that a class of FFmpeg's declares, in its order.
    static func options(_ first: UnsafePointer<AVClass>?) -> [Option] {
        guard let first else { return [] }
        var options: [Option] = []
        var constants: [String: [String]] = [:]
        for entry in entries(first) where entry.pointee.type == AV_OPT_TYPE_CONST {
            guard let unit = entry.pointee.unit, let name = entry.pointee.name else { continue }
            constants[String(cString: unit), default: []].append(String(cString: name))
        }
        var offset: Int32 = -1
        for entry in entries(first) where entry.pointee.type != AV_OPT_TYPE_CONST {
            guard entry.pointee.flags & AV_OPT_FLAG_READONLY == 0 else { continue }
            let words = entry.pointee.unit.flatMap { constants[String(cString: $0)] } ?? []
            options.append(
                Option(
                    name: String(cString: entry.pointee.name),
                    isAlias: entry.pointee.offset == offset,
                    spec: OptionSpec(entry.pointee, words: words)))
            offset = entry.pointee.offset
        }
        return options
    }

    private static var all: [UnsafePointer<AVFilter>] {
        var filters: [UnsafePointer<AVFilter>] = []
        var state: UnsafeMutableRawPointer?
        while let filter = av_filter_iterate(&state) { filters.append(filter) }
        return filters
    }

    private static func entries(_ first: UnsafePointer<AVClass>) -> [UnsafePointer<AVOption>] {
        var entries: [UnsafePointer<AVOption>] = []
        var fake: UnsafePointer<AVClass>? = first
        var entry: UnsafePointer<AVOption>?
        while true {
            entry = av_opt_next(&fake, entry)
            guard let found = entry else { return entries }
            entries.append(found)
        }
    }

    /// Whether a filter has a pad of sound, or decides on its pads by its options.
    private static func takes(_ filter: UnsafePointer<AVFilter>, isOutput: Bool) -> Bool {
        let raw = filter.pointee
        let dynamic = isOutput ? AVFILTER_FLAG_DYNAMIC_OUTPUTS : AVFILTER_FLAG_DYNAMIC_INPUTS
        let pads = isOutput ? raw.outputs : raw.inputs
        let count = Int32(avfilter_filter_pad_count(filter, isOutput ? 1 : 0))
        let name = String(cString: raw.name)
        if raw.flags & dynamic != 0, name.hasPrefix("a") || name == "join" { return true }
        return (0..<count).contains { avfilter_pad_get_type(pads, $0) == AVMEDIA_TYPE_AUDIO }
    }
}

extension OptionSpec {
    /// Copies an entry of FFmpeg's tables; `words` are its named values.
    fileprivate init(_ option: AVOption, words: [String]) {
        let value = option.default_val
        let isNamed = !words.isEmpty && words.count < 40
        let kind: Kind
        var standard: OptionValue?
        switch option.type {
        case AV_OPT_TYPE_BOOL:
            kind = .bool
            standard = value.i64 < 0 ? nil : .bool(value.i64 != 0)
        case AV_OPT_TYPE_INT, AV_OPT_TYPE_INT64, AV_OPT_TYPE_UINT64:
            let lower = Int(clampingDouble: option.min)
            kind =
                isNamed
                ? .choice(words) : .int(lower...max(lower, Int(clampingDouble: option.max)))
            standard = isNamed ? nil : .int(Int(value.i64))
        case AV_OPT_TYPE_DOUBLE, AV_OPT_TYPE_FLOAT:
            let lower = option.min.isNaN ? 0 : option.min
            kind = .double(lower...max(lower, option.max.isNaN ? lower : option.max))
            standard = .double(value.dbl)
        case AV_OPT_TYPE_STRING:
            kind = .string
            standard = value.str.map { .string(String(cString: $0)) }
        case AV_OPT_TYPE_DURATION:
            kind = .string
            standard = .string("\(MediaTime(microseconds: value.i64).seconds)")
        default:
            kind = .string
        }
        self.init(
            String(cString: option.name), kind, default: standard,
            live: option.flags & AV_OPT_FLAG_RUNTIME_PARAM != 0,
            option.help.map { String(cString: $0) } ?? "")
    }
}

extension Int {
    fileprivate init(clampingDouble value: Double) {
        if value.isNaN {
            self = 0
        } else if value >= 9e18 {
            self = .max
        } else {
            self = value <= -9e18 ? .min : Int(value)
        }
    }
}
