// libavfilter text taken apart by FFmpeg's own tokenizer, and checked part by part.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// The filters and options of a graph's text.
enum FilterText {
    /// One filter as it is written.
    struct Filter {
        var name: String
        var instance: String?
        var arguments: String?

        /// The name by which commands reach it.
        var title: String { instance.map { "\(name)@\($0)" } ?? name }
    }

    /// The filters in the order they are written; links are left out.
    static func filters(of text: String) -> [Filter] {
        var filters: [Filter] = []
        text.withCString { start in
            var place: UnsafePointer<CChar>? = start
            skipSettings(&place)
            while let here = place, here.pointee != 0 {
                if isOneOf(here.pointee, " \n\t\r,;]") {
                    place = here + 1
                } else if here.pointee == 91 {
                    while let inside = place, inside.pointee != 0, inside.pointee != 93 {
                        place = inside + 1
                    }
                } else {
                    let name = token(&place, until: "=,;[")
                    var arguments: String?
                    if let end = place, end.pointee == 61 {
                        place = end + 1
                        arguments = token(&place, until: "[],;")
                    }
                    let parts = name.split(separator: "@", maxSplits: 1)
                    filters.append(
                        Filter(
                            name: parts.first.map(String.init) ?? "",
                            instance: parts.count > 1 ? String(parts[1]) : nil,
                            arguments: arguments))
                }
            }
        }
        return filters
    }

    /// Checks names, options and values, then the whole; nothing is run.
    ///
    /// - Throws: `bad-argument` that names the wrong part.
    static func check(_ text: String) throws(MediaError) -> FilterGraph {
        for filter in filters(of: text) { try check(filter) }
        return try FilterGraph(text)
    }

    private static func check(_ filter: Filter) throws(MediaError) {
        guard let kind = avfilter_get_by_name(filter.name) else {
            let known = FilterCatalogue.names
            throw MediaError(
                .badArgument,
                "no filter '\(filter.name)'\(Suggestion.sentence(for: filter.name, among: known))")
        }
        var graph = avfilter_graph_alloc()
        defer { avfilter_graph_free(&graph) }
        guard let made = avfilter_graph_alloc_filter(graph, kind, "check") else {
            throw MediaError(.badArgument, "filter \(filter.name) can't be made")
        }
        let options = FilterCatalogue.options(of: kind)
        for (key, value) in try named(filter, options) {
            try set(key, value, on: made, filter.name, options)
        }
    }

    /// The values of a filter, those without a name given theirs.
    static func named(
        _ filter: Filter, _ options: [FilterCatalogue.Option]
    ) throws(MediaError) -> [(key: String, value: String)] {
        var positional = options.filter { !$0.isAlias }[...]
        var named: [(key: String, value: String)] = []
        for (name, value) in try values(filter) {
            if let name {
                named.append((name, value))
                positional = []
            } else if let next = positional.popFirst() {
                named.append((next.name, value))
            } else {
                throw MediaError(.badArgument, "\(filter.name): '\(value)' is one value too many")
            }
        }
        return named
    }

    private static func set(
        _ key: String, _ value: String, on filter: UnsafeMutablePointer<AVFilterContext>,
        _ title: String, _ options: [FilterCatalogue.Option]
    ) throws(MediaError) {
        let isGeneric = av_opt_find(filter, key, nil, 0, 0) != nil
        // Some filters hand options on to the library behind them (aresample to the resampler).
        let children = Int32(AV_OPT_SEARCH_CHILDREN)
        let isKnown = av_opt_find(filter.pointee.priv, key, nil, 0, children) != nil
        guard isGeneric || isKnown else {
            let hint = Suggestion.sentence(for: key, among: options.map(\.name))
            throw MediaError(.badArgument, "\(title): no option '\(key)'\(hint)")
        }
        let (result, complaints) = AVLogBridge.collecting {
            isGeneric
                ? av_opt_set(filter, key, value, 0)
                : av_opt_set(filter.pointee.priv, key, value, children)
        }
        guard result < 0 else { return }
        let domain = options.first { $0.name == key }?.spec.domain
        let reason =
            domain.flatMap { $0 == "text" ? nil : "is not \($0)" }
            ?? complaints.first.map { "is refused: \($0.withoutLogPrefix)" } ?? "is refused"
        throw MediaError(.badArgument, "\(title): option '\(key)': '\(value)' \(reason)")
    }

    private static func values(
        _ filter: Filter
    ) throws(MediaError) -> [(name: String?, value: String)] {
        guard let arguments = filter.arguments else { return [] }
        var values: [(name: String?, value: String)] = []
        let isRead = arguments.withCString { start in
            var place: UnsafePointer<CChar>? = start
            while let here = place, here.pointee != 0 {
                var key: UnsafeMutablePointer<CChar>?
                var value: UnsafeMutablePointer<CChar>?
                let flags = UInt32(AV_OPT_FLAG_IMPLICIT_KEY)
                guard av_opt_get_key_value(&place, "=", ":", flags, &key, &value) >= 0 else {
                    return false
                }
                values.append(
                    (key.map { String(cString: $0) }, value.map { String(cString: $0) } ?? ""))
                av_free(key)
                av_free(value)
                if let end = place, end.pointee != 0 { place = end + 1 }
            }
            return true
        }
        if !isRead {
            throw MediaError(.badArgument, "\(filter.name): '\(arguments)' is no list of options")
        }
        return values
    }

    /// Jumps over `sws_flags=…;` at the start.
    private static func skipSettings(_ place: inout UnsafePointer<CChar>?) {
        guard let start = place, strncmp(start, "sws_flags=", 10) == 0 else { return }
        while let here = place, here.pointee != 0, here.pointee != 59 { place = here + 1 }
    }

    private static func token(_ place: inout UnsafePointer<CChar>?, until ends: String) -> String {
        guard let text = av_get_token(&place, ends) else { return "" }
        defer { av_free(text) }
        return String(cString: text)
    }

    private static func isOneOf(_ letter: CChar, _ letters: String) -> Bool {
        letters.utf8.contains(UInt8(bitPattern: letter))
    }
}
