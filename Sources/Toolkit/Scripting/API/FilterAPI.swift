// Chains, and what filters there are.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel

extension ScriptAPI {
    static let chain = LuaFunction<ScriptContext>(
        "chain",
        "Makes a checked filter chain, for `player:use`, `mk.batch` and `mk.measure` alike.",
        Param<ChainArgument>(
            "filters", "Text of the chain language, or a list of texts, filter tables and chains."),
        returns: [LuaParameter("chain", type: "mk.Chain", "The chain; it never changes.")],
        example: """
            local chain = mk.chain{
              { "volume", volume = "-3dB", label = "trim" },
              "alimiter=limit=0.9",
            }
            print(chain, #chain:filters())
            """
    ) { (context, argument) throws(MediaError) in
        ScriptChain(try argument.chain(context.setting))
    }

    static let chainClass = LuaClass<ScriptContext>(
        ScriptChain.self, "A checked list of filters; `tostring` gives its text.",
        [
            LuaFunction(
                of: ScriptChain.self, "filters", "Lists the filters.",
                returns: [LuaParameter("filters", type: "mk.ChainFilter[]", "In order.")],
                example: """
                    for _, filter in ipairs(mk.chain("volume@trim=-3dB"):filters()) do
                      print(filter.label, filter.text, filter.enabled)
                    end
                    """
            ) { _, chain in
                chain.chain.filters.map {
                    ChainFilter(label: $0.title, text: $0.description, isEnabled: $0.isEnabled)
                }
            },
            LuaFunction(
                of: ScriptChain.self, "plus", "Makes a longer chain.",
                Param<ChainArgument>("filters", "What comes behind the chain."),
                returns: [LuaParameter("chain", type: "mk.Chain", "The longer chain.")],
                example: "assert(#mk.chain(\"volume@a=1\"):plus(\"alimiter@b\"):filters() == 2)"
            ) { (context, chain, argument) throws(MediaError) in
                var filters = chain.chain.filters
                for filter in try argument.chain(context.setting).filters {
                    if let label = filter.label, filters.contains(where: { $0.label == label }) {
                        throw MediaError(.badArgument, "label '\(label)' is used twice")
                    }
                    filters.append(filter)
                }
                return ScriptChain(FilterChain(filters))
            },
        ])

    static let filters = LuaModule<ScriptContext>(
        "mk.filters", "The filters that chains can name.",
        [
            LuaFunction(
                "list", "Lists all filters, ours first.",
                returns: [LuaParameter("filters", type: "mk.FilterSummary[]", "The filters.")],
                example: """
                    for _, filter in ipairs(mk.filters.list()) do
                      if filter.origin == "mediakit" then print(filter.name, filter.summary) end
                    end
                    """
            ) { context in
                let registry = context.setting.registry
                let ours = registry.filters.map {
                    FilterSummary(name: $0.info.name, origin: "mediakit", summary: $0.info.summary)
                }
                let theirs = (registry.rawFilters?.catalogue ?? []).map {
                    FilterSummary(name: $0.name, origin: "libavfilter", summary: $0.summary)
                }
                return ours + theirs
            },
            LuaFunction(
                "describe", "Tells the options of a filter.",
                Param<String>("name", "The filter; `lavfi.NAME` means libavfilter's."),
                returns: [
                    LuaParameter("options", type: "mk.OptionInfo[]", "The options, in order.")
                ], fails: [.notFound],
                example: """
                    for _, option in ipairs(assert(mk.filters.describe("volume"))) do
                      print(option.name, option.values, option.summary)
                    end
                    """
            ) { (context, name) throws(MediaError) in
                let registry = context.setting.registry
                let bare = name.hasPrefix("lavfi.") ? String(name.dropFirst(6)) : name
                if let plugin = registry.filter(named: name) {
                    return plugin.options.map { OptionInfo($0) }
                }
                guard let options = registry.rawFilters?.describe(bare) else {
                    let known =
                        registry.filters.map(\.info.name)
                        + (registry.rawFilters?.catalogue ?? []).map(\.name)
                    let hint = Suggestion.sentence(for: name, among: known)
                    throw MediaError(.notFound, "no filter '\(name.printable)'\(hint)")
                }
                return options.map { OptionInfo($0) }
            },
        ])

    static let filterRecords: [LuaRecordDescription] = [
        LuaRecordDescription(
            name: "mk.ChainElement",
            summary: "One filter as a table: its name first, then its options by name.",
            fields: [
                .init("[1]", type: "string", "The filter's name."),
                .init("label", type: "string", optional: true, "Its name in the chain."),
                .init(
                    "enabled", type: "boolean", optional: true,
                    "Whether sound goes through it; true when not given."),
                .init("[string]", type: "boolean|number|string", "Options by name."),
            ]),
        ChainFilter.luaDescription, FilterSummary.luaDescription, OptionInfo.luaDescription,
    ]
}

/// One filter of a chain.
struct ChainFilter: LuaFacts {
    let label: String
    let text: String
    let isEnabled: Bool

    static let luaName = "mk.ChainFilter"
    static let luaSummary = "One filter of a chain."
    static let luaFields: [LuaFact<ChainFilter>] = [
        LuaFact("label", \.label, "Its label, or else its name or text."),
        LuaFact("text", \.text, "It in the chain language."),
        LuaFact("enabled", \.isEnabled, "Whether sound goes through it."),
    ]
}

/// One filter of the list.
struct FilterSummary: LuaFacts {
    let name: String
    let origin: String
    let summary: String

    static let luaName = "mk.FilterSummary"
    static let luaSummary = "A filter that chains can name."
    static let luaFields: [LuaFact<FilterSummary>] = [
        LuaFact("name", \.name, "Its name."),
        LuaFact("origin", \.origin, "`mediakit` or `libavfilter`."),
        LuaFact("summary", \.summary, "What it does."),
    ]
}

/// One option of a filter.
struct OptionInfo: LuaFacts {
    let name: String
    let values: String
    let standard: String?
    let unit: String
    let isLive: Bool
    let summary: String

    init(_ spec: OptionSpec) {
        name = spec.name
        values = spec.domain
        standard = spec.defaultValue?.description
        unit = spec.unit
        isLive = spec.isLive
        summary = spec.summary
    }

    static let luaName = "mk.OptionInfo"
    static let luaSummary = "An option of a filter."
    static let luaFields: [LuaFact<OptionInfo>] = [
        LuaFact("name", \.name, "Its name."),
        LuaFact("values", \.values, "What values it takes: `1…10`, `a|b`, `yes|no`."),
        LuaFact("default", \.standard, "The value when none is given."),
        LuaFact("unit", \.unit, "`dB`, `LUFS`, `s`, …; empty for plain numbers and words."),
        LuaFact("live", \.isLive, "Whether a change takes effect while playing."),
        LuaFact("summary", \.summary, "What it does."),
    ]
}
