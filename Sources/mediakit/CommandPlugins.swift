// The plugins that a command works with: built in, found in folders, or named by a user.

import Plugins
import Toolkit

extension ParsedLine {
    /// What is built in and what `--plugin` and the plugin folders hold, and the loader of the rest.
    func plugins() throws(MediaError) -> (registry: PluginRegistry, loader: PluginLoader) {
        let registry = try BuiltinPlugins.makeRegistry()
        let loader = PluginLoader(into: registry)
        try loader.load(searching: PluginFolders.standard(given: repeated["plugin"] ?? []))
        return (registry, loader)
    }
}
