// Plugins that come, go and change while a program runs.

public import MediaCore
internal import Synchronization

extension PluginRegistry {
    /// Adds plugins, switched on; all of them or, with `plugin-conflict` where two of a kind have
    /// one name, none.
    public func register(_ plugins: [any Plugin]) throws(MediaError) {
        let clash: (kind: Kind, plugin: any Plugin)? = state.withLock { state in
            var entries = state.entries
            for plugin in plugins {
                let info = plugin.info
                for kind in PluginRegistry.kinds(of: plugin) {
                    if let other = entries.first(where: {
                        $0.kind == kind && $0.plugin.info.name == info.name
                    }) {
                        return (kind, other.plugin)
                    }
                    entries.append(
                        Entry(kind: kind, plugin: plugin, isEnabled: true, rank: info.rank))
                }
            }
            state.entries = entries
            return nil
        }
        guard let (kind, other) = clash else { return }
        let place = other.origin.map { ", one of them in \($0.path.printable)" } ?? ""
        throw MediaError(
            .pluginConflict,
            "two \(kind.rawValue) plugins are named '\(other.info.name)'\(place)")
    }

    /// Takes away every plugin that came from a file, and says how many those were.
    ///
    /// What is in use goes on; nothing new is made of them.
    @discardableResult
    public func unregister(from path: String) -> Int {
        // They go outside the lock: the last reference to a plugin may run its own code.
        let gone = state.withLock { state in
            let gone = state.entries.filter { $0.plugin.origin?.path == path }
            state.entries.removeAll { $0.plugin.origin?.path == path }
            return gone
        }
        return gone.count
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

    private func change(
        _ kind: Kind, _ name: String, _ body: (inout Entry) -> Void
    ) throws(MediaError) {
        let known: [String]? = state.withLock { state in
            guard
                let index = state.entries.firstIndex(where: {
                    $0.kind == kind && $0.plugin.info.name == name
                })
            else { return state.entries.filter { $0.kind == kind }.map(\.plugin.info.name) }
            body(&state.entries[index])
            return nil
        }
        guard let known else { return }
        throw MediaError(
            .badArgument,
            "no \(kind.rawValue) plugin '\(name)'\(Suggestion.sentence(for: name, among: known))")
    }

    /// Switches a codec on or off, whatever plugin decodes it; all are on at first.
    public func setCodecEnabled(_ codec: String, _ isEnabled: Bool) {
        state.withLock { state in
            if isEnabled {
                state.disabledCodecs.remove(codec)
            } else {
                state.disabledCodecs.insert(codec)
            }
        }
    }

    /// Whether streams of a codec may be decoded.
    public func isCodecEnabled(_ codec: String) -> Bool {
        state.withLock { !$0.disabledCodecs.contains(codec) }
    }
}
