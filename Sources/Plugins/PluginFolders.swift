// Where plugin files are looked for.

internal import Glibc
internal import MediaCore

/// The places of plugin files, in the order in which they win.
public enum PluginFolders {
    /// One place.
    public struct Entry: Hashable, Sendable {
        /// A folder, or a file.
        public let path: String
        /// Whether a user named it, so that a failure there is an error.
        public let isRequired: Bool
        /// Whether it is one of the usual places, which need not be there.
        public let isUsual: Bool

        /// Makes an entry.
        public init(_ path: String, isRequired: Bool, isUsual: Bool = false) {
            self.path = path
            self.isRequired = isRequired
            self.isUsual = isUsual
        }
    }

    /// What was given on the command line, then `MEDIAKIT_PLUGIN_PATH` (folders or files, parted by
    /// colons), then `$XDG_DATA_HOME/mediakit/plugins`, then `<prefix>/lib/mediakit/plugins` where
    /// the program is `<prefix>/bin/mediakit`.
    public static func standard(given: [String] = []) -> [Entry] {
        var entries = given.map { Entry($0, isRequired: true) }
        let path = variable("MEDIAKIT_PLUGIN_PATH") ?? ""
        entries += path.split(separator: ":").map { Entry(String($0), isRequired: false) }
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") {
            entries.append(usual("\(data)/mediakit/plugins"))
        } else if let home = variable("HOME") {
            entries.append(usual("\(home)/.local/share/mediakit/plugins"))
        }
        if let program = try? SystemFileSystem().resolve("/proc/self/exe"),
            let bin = program.lastIndex(of: "/"),
            let prefix = program[..<bin].lastIndex(of: "/")
        {
            entries.append(usual("\(program[..<prefix])/lib/mediakit/plugins"))
        }
        return entries
    }

    private static func usual(_ path: String) -> Entry {
        Entry(path, isRequired: false, isUsual: true)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(osBytes: UnsafeRawBufferPointer(cString: value))
    }
}
