// The plugins that a command works with: built in, found in folders, or named by a user.

import Glibc
import Plugins
import Toolkit

extension ParsedLine {
    /// What is built in and what `--plugin` and the plugin folders hold, and the loader of the rest.
    ///
    /// - Parameter initialising: whether what `--plugin` names must be ready for use.
    func plugins(initialising: Bool = true) throws(MediaError) -> (
        registry: PluginRegistry, loader: PluginLoader
    ) {
        if options.string("license") == "" {
            throw MediaError(.badArgument, "--license names no file: its value is empty")
        }
        let registry = try BuiltinPlugins.makeRegistry(gate: gate)
        let loader = PluginLoader(into: registry)
        let given = repeated["plugin"] ?? []
        if given.contains("") {
            throw MediaError(.badArgument, "--plugin names no file: its value is empty")
        }
        try loader.load(
            searching: PluginFolders.standard(given: given), initialising: initialising)
        for text in repeated["decoder_option"] ?? [] { try set(.decoder, text, registry) }
        for text in repeated["demuxer_option"] ?? [] { try set(.demuxer, text, registry) }
        return (registry, loader)
    }

    /// What decides on premium features: everything is granted unless a license was named.
    var gate: LicenceGate {
        let gate = LicenceGate()
        if let key = options.string("license_key") ?? Environment.variable("MEDIAKIT_LICENSE_KEY") {
            gate.fix(key: key)
        }
        if let path = options.string("license") ?? Environment.variable("MEDIAKIT_LICENSE") {
            gate.enforce(path)
        }
        return gate
    }

    /// Sets options that are written as `NAME:OPTION=VALUE:OPTION=VALUE`.
    private func set(
        _ kind: PluginRegistry.Kind, _ text: String, _ registry: PluginRegistry
    ) throws(MediaError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var values: [String: OptionValue] = [:]
        for part in parts.dropFirst() {
            let halves = part.split(separator: "=", maxSplits: 1)
            if halves.count == 2 { values[String(halves[0])] = .string(String(halves[1])) }
        }
        do throws(MediaError) {
            guard let name = parts.first, !values.isEmpty, values.count == parts.count - 1 else {
                throw MediaError(.badArgument, "'\(text.printable)' is not NAME:OPTION=VALUE")
            }
            try registry.setOptions(kind, String(name), values)
        } catch {
            throw error.prefixed("--\(kind.rawValue)-option")
        }
    }
}

/// The variables of the environment.
enum Environment {
    /// The value as the system has it; nil where it is not set or empty.
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(osBytes: UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
