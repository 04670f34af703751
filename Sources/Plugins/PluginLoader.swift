// Plugin files into a registry, and out of it again.

internal import Glibc
public import MediaCore
internal import MediaKitPluginABI
public import MediaModel
internal import Synchronization

/// Loads plugin files into a registry and unloads them.
///
/// Thread-safety: safe.
public final class PluginLoader: PluginFiles {
    private let registry: PluginRegistry
    private let files: any FileSystem
    private let libraries = Mutex<[PluginLibrary]>([])
    /// Held while a file comes or goes, so that one that is listed is registered.
    private let change = Mutex(())

    /// Makes a loader that has loaded nothing.
    public init(into registry: PluginRegistry, files: any FileSystem = SystemFileSystem()) {
        self.registry = registry
        self.files = files
    }

    /// The files that are loaded, in the order in which they were.
    public var loaded: [PluginOrigin] { libraries.withLock { $0.map(\.origin) } }

    /// Loads a plugin file and registers all that it holds; nothing happens where it is loaded.
    ///
    /// - Parameters:
    ///   - path: the file, absolute or from the working directory.
    ///   - initialising: whether the plugin is initialised at once, so that its failure is thrown
    ///     here, or when something of it is first used.
    /// - Throws: `plugin-unusable` or `plugin-conflict`, naming the file.
    @discardableResult
    public func load(
        _ path: String, initialising: Bool
    ) throws(MediaError) -> PluginOrigin {
        switch try take(path, initialising: initialising) {
        case .loaded(let origin): return origin
        case .hidden(let resolved, let other):
            throw PluginLoader.conflict(resolved, other)
        }
    }

    private enum Outcome {
        case loaded(PluginOrigin)
        /// A plugin of this name is loaded from elsewhere.
        case hidden(String, by: PluginOrigin)
    }

    private static func conflict(_ path: String, _ other: PluginOrigin) -> MediaError {
        MediaError(
            .pluginConflict,
            "plugin \(path.printable): '\(other.name)' is loaded from "
                + "\(other.path.printable) already")
    }

    private func take(_ path: String, initialising: Bool) throws(MediaError) -> Outcome {
        let resolved: String
        do throws(MediaError) {
            resolved = try files.resolve(path)
        } catch {
            throw MediaError(error.code, "plugin \(path.printable): \(error.message)")
        }
        return try change.withLock { _ throws(MediaError) in
            try takeAlone(resolved, initialising: initialising)
        }
    }

    private func takeAlone(_ resolved: String, initialising: Bool) throws(MediaError) -> Outcome {
        if let origin = loaded.first(where: { $0.path == resolved }) { return .loaded(origin) }
        let library = try PluginLibrary(path: resolved, files: files)
        let plugins = try PluginLoader.plugins(of: library)
        if initialising { try library.start() }
        if let other = loaded.first(where: { $0.name == library.origin.name }) {
            return .hidden(resolved, by: other)
        }
        do throws(MediaError) {
            try registry.register(plugins)
        } catch {
            throw error.prefixed("plugin \(resolved.printable)")
        }
        libraries.withLock { $0.append(library) }
        Log.debug("plugins", "loaded \(library.origin.name) from \(resolved.printable)")
        return .loaded(library.origin)
    }

    /// Loads and initialises a plugin file and registers all that it holds.
    ///
    /// - Throws: `plugin-unusable` or `plugin-conflict`, naming the file.
    @discardableResult
    public func load(_ path: String) throws(MediaError) -> PluginOrigin {
        try load(path, initialising: true)
    }

    /// Loads the plugins of folders, the first of a name winning; what can't be loaded is logged.
    ///
    /// Entries that name a file must load. Usual folders that do not exist are passed over.
    ///
    /// - Parameter initialising: whether what must load is initialised at once.
    public func load(
        searching entries: [PluginFolders.Entry], initialising: Bool = true
    ) throws(MediaError) {
        for entry in entries {
            let kind = (try? files.facts(of: entry.path))?.kind
            if entry.isRequired, kind != .folder {
                try load(entry.path, initialising: initialising)
            } else if kind == .folder {
                let names = (try? files.list(entry.path)) ?? []
                for name in names where name.hasSuffix(".so") { find("\(entry.path)/\(name)") }
            } else if kind != nil {
                find(entry.path)
            } else if !entry.isUsual {
                let path = entry.path.printable
                Log.write(.warning, "plugins", "plugin path: \(path): no such file or folder")
            }
        }
    }

    /// Loads a file that nobody asked for by name; what is wrong with it is logged.
    private func find(_ path: String) {
        do throws(MediaError) {
            // A second version of a plugin further down the path is meant to be hidden.
            if case .hidden(let resolved, let other) = try take(path, initialising: false) {
                Log.write(.info, "plugins", PluginLoader.conflict(resolved, other).message)
            }
        } catch {
            Log.write(.warning, "plugins", error.message)
        }
    }

    /// Takes a plugin file out of the registry and unloads it as soon as nothing uses it.
    ///
    /// - Parameter name: what the file calls itself, or its path.
    /// - Throws: `bad-argument` where no such plugin is loaded.
    @discardableResult
    public func unload(_ name: String) throws(MediaError) -> PluginUnloading {
        try takeOut(name).library == nil ? .done : .deferred
    }

    /// What is left of a library when its loader and the registry have let it go.
    private struct Rest {
        weak var library: PluginLibrary?
    }

    private func takeOut(_ name: String) throws(MediaError) -> Rest {
        let path = try? files.resolve(name)
        let found = change.withLock { _ -> PluginLibrary? in
            let found: PluginLibrary? = libraries.withLock { libraries in
                libraries.firstIndex { $0.origin.name == name || $0.origin.path == path }
                    .map { libraries.remove(at: $0) }
            }
            if let found { registry.unregister(from: found.origin.path) }
            return found
        }
        guard let found else {
            let hint = Suggestion.sentence(for: name, among: loaded.map(\.name))
            throw MediaError(.badArgument, "no loaded plugin '\(name.printable)'\(hint)")
        }
        return Rest(library: found)
    }

    /// The parts of a plugin as plugins of the registry.
    private static func plugins(of library: PluginLibrary) throws(MediaError) -> [any Plugin] {
        let raw = library.descriptor
        var plugins: [any Plugin] = []
        for pointer in try library.list(raw.decoders, raw.decoder_count) {
            plugins.append(try LoadedDecoderPlugin(pointer, library))
        }
        for pointer in try library.list(raw.demuxers, raw.demuxer_count) {
            plugins.append(try LoadedDemuxerPlugin(pointer, library))
        }
        for pointer in try library.list(raw.filters, raw.filter_count) {
            plugins.append(try LoadedFilterPlugin(pointer, library))
        }
        return plugins
    }
}

extension PluginLibrary {
    /// The entries of one of the descriptor's lists.
    fileprivate func list<Table>(
        _ list: UnsafePointer<UnsafePointer<Table>?>?, _ count: Int
    ) throws(MediaError) -> [UnsafePointer<Table>] {
        guard count > 0 else { return [] }
        guard let list, count <= 1000 else {
            throw unusable(origin.path, "its descriptor tells of \(count) parts")
        }
        var entries: [UnsafePointer<Table>] = []
        for index in 0..<count {
            guard let entry = list[index] else {
                throw unusable(origin.path, "part \(index) of a list is missing")
            }
            entries.append(entry)
        }
        return entries
    }
}
