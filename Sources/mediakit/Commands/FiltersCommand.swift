// `mediakit filters`: which filters there are, and what one does.

import Toolkit

struct FiltersCommand: Command {
    let name = "filters"
    let summary = "Lists the filters, or explains one."
    let discussion = """
        Filters of mediakit come first, then those of libavfilter, which a chain takes as raw text.
        A name that both have means mediakit's; `lavfi.NAME` means libavfilter's.

        Example: mediakit filters audioEnhance
        """
    let operands = Operands(usage: "[NAME]", most: 1)
    let options = [CommonOptions.json]

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let registry = try line.plugins(initialising: false).registry
        let catalogue = FilterCatalogue(registry)
        guard let name = line.operands.first else {
            try line.options.bool("json")
                ? Terminal.write(catalogue.json) : Terminal.write(catalogue.text)
            return 0
        }
        let entry = try catalogue.entry(named: name)
        try line.options.bool("json")
            ? Terminal.write(entry.json) : Terminal.write(entry.text)
        return 0
    }
}

/// Everything a chain can name.
private struct FilterCatalogue {
    private let own: [any FilterPlugin]
    private let raw: (any RawFilterPlugin)?

    init(_ registry: PluginRegistry) {
        own = registry.filters
        raw = registry.rawFilters
    }

    var text: String {
        let ours = own.map { ($0.info.name, $0.info.summary) }
        let theirs = (raw?.catalogue ?? []).map { ($0.name, $0.summary) }
        return "Filters of mediakit:\n" + HelpPage.table(ours)
            + "\nFilters of libavfilter:\n" + HelpPage.table(theirs)
    }

    var json: JSON {
        func list(_ infos: [PluginInfo], _ origin: String) -> [JSON] {
            infos.map { info in
                .object([
                    .init("name", .string(info.name)), .init("origin", .string(origin)),
                    .init("summary", .string(info.summary)),
                ])
            }
        }
        let all = list(own.map(\.info), "mediakit") + list(raw?.catalogue ?? [], "libavfilter")
        return .object([
            .init("schema", .string("mediakit.filters/1")), .init("filters", .array(all)),
        ])
    }

    func entry(named name: String) throws(MediaError) -> FilterEntry {
        if let plugin = own.first(where: { $0.info.name == name }) {
            return FilterEntry(info: plugin.info, origin: "mediakit", options: plugin.options)
        }
        let bare = name.hasPrefix("lavfi.") ? String(name.dropFirst(6)) : name
        let infos = raw?.catalogue ?? []
        if let info = infos.first(where: { $0.name == bare }) {
            return FilterEntry(
                info: info, origin: "libavfilter", options: raw?.describe(bare) ?? [])
        }
        let known = own.map(\.info.name) + infos.map(\.name)
        let hint = Suggestion.sentence(for: name, among: known)
        throw MediaError(
            .badArgument, "no filter '\(name.printable)'\(hint); `mediakit filters` lists them all")
    }
}

/// One filter, explained.
private struct FilterEntry {
    var info: PluginInfo
    var origin: String
    var options: [OptionSpec]

    var text: String {
        var text = "\(info.name) (\(origin)): \(info.summary)\n"
        if options.isEmpty { return text + "\nIt has no options.\n" }
        text += "\nOptions (* can be changed while playing):\n"
        return text
            + HelpPage.table(
                options.map { spec in
                    let unit = spec.unit.isEmpty ? "" : " \(spec.unit)"
                    return (
                        "\(spec.isLive ? "*" : " ")\(spec.name)=\(spec.domain)\(unit)",
                        HelpPage.sentence(spec)
                    )
                })
    }

    var json: JSON {
        .object([
            .init("schema", .string("mediakit.filter/1")), .init("name", .string(info.name)),
            .init("origin", .string(origin)), .init("summary", .string(info.summary)),
            .init("options", .array(options.map(\.json))),
        ])
    }
}

extension OptionSpec {
    /// The option as facts for programs.
    fileprivate var json: JSON {
        .object([
            .init("name", .string(name)), .init("values", .string(domain)),
            .init("default", defaultValue?.json ?? .null), .init("unit", .string(unit)),
            .init("live", .bool(isLive)), .init("summary", .string(summary)),
        ])
    }
}
