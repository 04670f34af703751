// Plugins that come, go and change while a program runs.

public import MediaCore

extension PluginRegistry {
    /// Adds plugins, switched on: all of them or none.
    ///
    /// - Throws: `plugin-conflict` where two of a kind have one name; `bad-argument` for a plugin of no
    ///   kind, as one that runs libavfilter text is, which only `init` takes.
    public func register(_ plugins: [any Plugin]) throws(MediaError) {
        var added: [Entry] = []
        // Outside the lock: a plugin's own code may ask the registry.
        for plugin in plugins {
            let (info, kinds) = (plugin.info, PluginRegistry.kinds(of: plugin))
            guard !kinds.isEmpty else {
                throw MediaError(
                    .badArgument,
                    "plugin '\(info.name.printable)' is of no kind that can be registered"
                        + (plugin is any RawFilterPlugin
                            ? "; what runs libavfilter text is given to PluginRegistry.init" : ""))
            }
            for kind in kinds {
                added.append(
                    Entry(
                        name: info.name, origin: plugin.origin, kind: kind, plugin: plugin,
                        isEnabled: true, rank: info.rank))
            }
        }
        let clash: Entry? = state.withLock { [added] state in
            var entries = state.entries
            for entry in added {
                let other = entries.first { $0.kind == entry.kind && $0.name == entry.name }
                if let other { return other }
                entries.append(entry)
            }
            state.entries = entries
            return nil
        }
        guard let clash else { return }
        let place = clash.origin.map { ", one of them in \($0.path.printable)" } ?? ""
        throw MediaError(
            .pluginConflict,
            "two \(clash.kind.rawValue) plugins are named '\(clash.name)'\(place)")
    }

    /// Takes away a plugin of one kind; `bad-argument` where no plugin of that kind has the name.
    ///
    /// What is in use goes on; nothing new is made of it. A plugin of several kinds stays the others.
    public func unregister(_ kind: Kind, _ name: String) throws(MediaError) {
        if remove({ $0.kind == kind && $0.name == name }) == 0 { _ = try plugin(kind, name) }
    }

    /// Takes away every plugin that came from a file, and says how many those were.
    ///
    /// What is in use goes on; nothing new is made of them.
    @discardableResult
    public func unregister(from path: String) -> Int { remove { $0.origin?.path == path } }

    private func remove(_ isGoing: (Entry) -> Bool) -> Int {
        // Asked for and let go outside the lock: both may run a plugin's own code.
        let retired = entries.filter { $0.kind == .filter && isGoing($0) }
            .map { (name: $0.name, options: $0.plugin.options) }
        let gone = state.withLock { state in
            let gone = state.entries.filter(isGoing)
            state.entries.removeAll(where: isGoing)
            for filter in retired { state.retired[filter.name] = filter.options }
            return gone
        }
        return gone.count
    }

    /// The plugins as they stand now, for what goes on with them whatever is changed later.
    package func frozen() -> PluginRegistry {
        PluginRegistry(sharing: self, premium: premium, isRun: isRun, isFrozen: true)
    }

    /// Switches a plugin on or off; `bad-argument` where no plugin of that kind has the name.
    public func setEnabled(_ kind: Kind, _ name: String, _ isEnabled: Bool) throws(MediaError) {
        try change(kind, name) { $0.isEnabled = isEnabled }
    }

    /// Changes which plugin is preferred where several fit: higher first.
    ///
    /// Built-in plugins have 0. `bad-argument` where no plugin of that kind has the name.
    public func setRank(_ kind: Kind, _ name: String, _ rank: Int) throws(MediaError) {
        try change(kind, name) { $0.rank = rank }
    }

    /// Sets options of a demuxer or a decoder, for what is made of it from now on; the others keep
    /// their values.
    ///
    /// - Throws: `bad-argument` where no plugin of that kind has the name, for an unknown option or a
    ///   value out of range, and for kinds whose options are given at their use.
    public func setOptions(
        _ kind: Kind, _ name: String, _ values: [String: OptionValue]
    ) throws(MediaError) {
        guard kind == .demuxer || kind == .decoder else {
            throw MediaError(
                .badArgument, "options of a \(kind.rawValue) are given where it is used")
        }
        let specs = try plugin(kind, name).options
        try change(kind, name) { (entry) throws(MediaError) in
            try entry.options.set(values, specs: specs, owner: "\(kind.rawValue) \(name)")
        }
    }

    /// What was set of the options of a plugin, with their defaults.
    public func options(_ kind: Kind, _ name: String) -> Options {
        let entry = entries.first { $0.kind == kind && $0.name == name }
        guard let entry else { return Options() }
        // They were checked against the same table when they were set.
        let (values, specs) = (entry.options.given, entry.plugin.options)
        return (try? Options(values, specs: specs, owner: name)) ?? Options()
    }

    /// Checks what is to be changed of a filter that runs, which may be switched off or unloaded
    /// since it was made.
    package func checkChange(
        of name: String, _ values: [String: OptionValue]
    ) throws(MediaError) -> Options {
        let (entry, retired) = state.withLock { state in
            (state.entries.first { $0.kind == .filter && $0.name == name }, state.retired[name])
        }
        let specs = entry?.plugin.options ?? retired
        guard let specs else { return try options(name, values).options }
        return try Options(values, specs: specs, owner: name)
    }

    /// The plugin of a kind with this name; `bad-argument` with the nearest where there is none.
    public func plugin(_ kind: Kind, _ name: String) throws(MediaError) -> any Plugin {
        let plugins = entries.filter { $0.kind == kind }
        if let entry = plugins.first(where: { $0.name == name }) { return entry.plugin }
        let hint = Suggestion.sentence(for: name, among: plugins.map(\.name))
        throw MediaError(.badArgument, "no \(kind.rawValue) plugin '\(name.printable)'\(hint)")
    }

    /// Says which plugin could do it and is switched off; nil where there is none.
    package func switchedOff(_ kind: Kind, _ couldDo: (any Plugin) -> Bool) -> String? {
        let entry = entries.first { $0.kind == kind && !$0.isEnabled && couldDo($0.plugin) }
        guard let name = entry?.plugin.info.name else { return nil }
        return "\(kind.rawValue) plugin '\(name)' is switched off; "
            + "mk.plugins.enable(\"\(kind.rawValue)\", \"\(name)\", true) allows it"
    }

    private func change(
        _ kind: Kind, _ name: String, _ body: (inout Entry) throws(MediaError) -> Void
    ) throws(MediaError) {
        let isKnown = try state.withLock { (state) throws(MediaError) in
            let index = state.entries.firstIndex {
                $0.kind == kind && $0.name == name
            }
            guard let index else { return false }
            try body(&state.entries[index])
            return true
        }
        if !isKnown { _ = try plugin(kind, name) }
    }

    /// Switches a codec on or off, whatever plugin decodes it; all are on at first.
    ///
    /// - Parameter codec: FFmpeg's name, another in use (`h265`, `H.264`), or a plugin's own.
    /// - Throws: `bad-argument` with the nearest, for a name that neither FFmpeg nor the decoder of a
    ///   plugin knows.
    public func setCodecEnabled(_ codec: String, _ isEnabled: Bool) throws(MediaError) {
        let name = try codecName(codec)
        state.withLock { state in
            if isEnabled {
                state.disabledCodecs.remove(name)
            } else {
                state.disabledCodecs.insert(name)
            }
        }
    }

    private func codecName(_ text: String) throws(MediaError) -> String {
        if let name = CodecName.canonical(text) { return name }
        let kinds = [MediaKind.video, .audio, .subtitle]
        let isOwn = entries.contains { entry in
            guard let decoder = entry.plugin as? any DecoderPlugin else { return false }
            return kinds.contains { kind in
                decoder.supports(CodecParameters(CodecDescription(kind: kind, codecName: text)))
            }
        }
        if isOwn { return text }
        let hint = Suggestion.sentence(for: text, among: CodecName.all)
        throw MediaError(.badArgument, "no codec '\(text.printable)'\(hint)")
    }

    /// Whether streams of a codec may be decoded.
    public func isCodecEnabled(_ codec: String) -> Bool {
        state.withLock { !$0.disabledCodecs.contains(codec) }
    }
}
