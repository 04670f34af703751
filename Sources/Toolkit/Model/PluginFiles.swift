// Plugin files that come and go, as the layers above the registry see them.

public import MediaCore

/// What became of a wish to unload a plugin file.
public enum PluginUnloading: String, CaseIterable, Sendable {
    /// The file is no longer in memory.
    case done
    /// Something made of it is still in use; the file goes with the last of that.
    case deferred
}

/// Loads plugin files into the registry it was made for, and unloads them.
///
/// Thread-safety: safe.
public protocol PluginFiles: Sendable {
    /// The files that are loaded, in the order in which they were.
    var loaded: [PluginOrigin] { get }
    /// Loads a file and registers all that it holds; nothing happens where it is loaded.
    ///
    /// - Throws: `plugin-unusable` or `plugin-conflict`, naming the file.
    @discardableResult
    func load(_ path: String) throws(MediaError) -> PluginOrigin
    /// Takes a file, by its path or the plugin's name, out of the registry; it leaves memory as soon
    /// as nothing uses it.
    ///
    /// - Throws: `bad-argument` where no such plugin is loaded.
    @discardableResult
    func unload(_ name: String) throws(MediaError) -> PluginUnloading
}
