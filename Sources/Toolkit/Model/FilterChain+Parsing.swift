// Chain text checked against the filters there are, with errors that point at the wrong part.

public import MediaCore

extension FilterChain {
    /// Reads and checks `text`; nothing is opened.
    ///
    /// Names of filter plugins win over libavfilter's; `lavfi.NAME` reaches the latter. Neighbouring
    /// libavfilter filters without labels become one filter, so that formats are negotiated between
    /// them as in any libavfilter graph.
    ///
    /// - Throws: `bad-argument` with the text and a mark under the part that is wrong.
    public init(parsing text: String, registry: PluginRegistry) throws(MediaError) {
        let letters = ChainSyntax.letters(text)
        self.init()
        if ChainSyntax.isGraph(letters) {
            let spec = FilterSpec(.raw(text))
            try ChainMark.marking(letters, 0..<letters.count) { () throws(MediaError) in
                try registry.check(spec)
            }
            filters = [spec]
            return
        }
        for element in ChainSyntax.elements(letters) {
            let spec = try FilterSpec(element, in: letters, registry: registry)
            if let label = spec.label, filters.contains(where: { $0.label == label }) {
                throw ChainMark.error(
                    letters, element.whole.range, "label '\(label)' is used twice")
            }
            if spec.label == nil, case .raw(let next) = spec.body, let last = filters.last,
                last.label == nil, case .raw(let previous) = last.body
            {
                filters[filters.count - 1] = FilterSpec(.raw("\(previous),\(next)"))
            } else {
                filters.append(spec)
            }
        }
    }

    /// Reads the chain of an option that may be absent; absent or empty is no filter at all.
    public init(option text: String?, registry: PluginRegistry) throws(MediaError) {
        guard let text, !text.isEmpty else {
            self.init()
            return
        }
        try self.init(parsing: text, registry: registry)
    }
}

extension FilterSpec {
    fileprivate init(
        _ element: ChainSyntax.Element, in letters: [Character], registry: PluginRegistry
    ) throws(MediaError) {
        let name = element.name.text
        guard !name.isEmpty else {
            throw ChainMark.error(letters, element.whole.range, "a filter's name is missing")
        }
        if let label = element.label, label.text.isEmpty {
            throw ChainMark.error(letters, element.whole.range, "the label behind '@' is missing")
        }
        if let plugin = registry.filter(named: name) {
            var values: [String: OptionValue] = [:]
            for argument in element.arguments.map({ ChainSyntax.arguments(letters, $0) }) ?? [] {
                guard let option = argument.name else {
                    throw ChainMark.error(
                        letters, argument.value.range, "\(name): options are written name=value")
                }
                let value = [option.text: OptionValue.string(argument.value.text)]
                let place = option.range.lowerBound..<argument.value.range.upperBound
                try ChainMark.marking(letters, place) { () throws(MediaError) in
                    _ = try Options(value, specs: plugin.options, owner: name)
                }
                values[option.text] = .string(argument.value.text)
            }
            self.init(.named(name, values), label: element.label?.text)
            return
        }
        let bare = name.hasPrefix("lavfi.") ? String(name.dropFirst(6)) : name
        let plugins = registry.filters.map(\.info.name)
        let isUnknown = registry.rawFilters.map { $0.describe(bare) == nil } ?? false
        let near = isUnknown ? Suggestion.nearest(to: bare, among: plugins) : nil
        if bare == name, let near {
            throw ChainMark.error(
                letters, element.name.range, "no filter '\(name)'; did you mean '\(near)'?")
        }
        // The prefix stays where it tells a libavfilter filter from a plugin, or from a mistyped
        // one, so that the chain reads the same again when it is printed.
        let text =
            (registry.filter(named: bare) == nil && near == nil ? bare : name)
            + (element.arguments.map { "=\($0.text)" } ?? "")
        self.init(.raw(text), label: element.label?.text)
        let spec = self
        try ChainMark.marking(letters, element.whole.range) { () throws(MediaError) in
            try registry.check(spec)
        }
    }
}

/// Shows where in a chain something is wrong.
private enum ChainMark {
    static func error(_ text: [Character], _ range: Range<Int>, _ reason: String) -> MediaError {
        let shown = String(text.map { $0.isNewline ? " " : $0 })
        let mark =
            String(repeating: " ", count: range.lowerBound) + "^"
            + String(repeating: "~", count: max(0, range.count - 1))
        return MediaError(.badArgument, "filter chain: \(reason)\n  \(shown)\n  \(mark)")
    }

    static func marking(
        _ text: [Character], _ range: Range<Int>, _ body: () throws(MediaError) -> Void
    ) throws(MediaError) {
        do {
            try body()
        } catch {
            throw ChainMark.error(text, range, error.message)
        }
    }
}
