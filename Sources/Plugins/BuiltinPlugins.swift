// The list of everything built in; the only place that knows it all.

public import MediaCore
public import MediaModel

/// What every program gets without loading anything.
public enum BuiltinPlugins {
    /// A registry of all built-in plugins.
    public static func makeRegistry() throws(MediaError) -> PluginRegistry {
        try PluginRegistry([])
    }
}
