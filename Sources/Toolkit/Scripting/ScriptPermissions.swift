// What a script may touch: paths to read and write, hosts, programs.

/// The grants of one script; each is nothing, everything, or what lies below some names.
public struct ScriptPermissions: Sendable {
    /// How far a grant reaches.
    public enum Scope: Hashable, Sendable {
        /// Nowhere.
        case none
        /// These paths and what lies below them, these hosts, these programs.
        case some([String])
        /// Everywhere.
        case all

        /// Reads the value of a command line option: empty for everything, else names with commas.
        public init(option text: String) {
            let names = text.split(separator: ",").map(String.init)
            self = names.isEmpty ? .all : .some(names)
        }
    }

    /// Files and folders that may be read.
    public var read = Scope.none
    /// Files and folders that may be written.
    public var write = Scope.none
    /// Hosts that may be reached.
    public var net = Scope.none
    /// Programs that may be run.
    public var run = Scope.none
    /// Plugin files, or folders of them, that may be loaded.
    ///
    /// Their code runs with the program's own rights, which is more than `isUnsafe` gives a script.
    public var plugins = Scope.none
    /// Whether the whole library of Lua is open and nothing is checked.
    public var isUnsafe = false

    /// Grants nothing.
    public init() {}

    /// The same grants, and reading and writing what is named in `arguments`.
    ///
    /// - Parameter arguments: the script's arguments; those that begin with `-` name no files.
    public func allowing(_ arguments: [String]) -> ScriptPermissions {
        let named = arguments.filter { !$0.hasPrefix("-") && !$0.isEmpty }
        var result = self
        result.read = read.adding(named)
        result.write = write.adding(named)
        return result
    }
}

extension ScriptPermissions.Scope {
    /// The same scope, and these names on top.
    public func adding(_ names: [String]) -> Self {
        switch self {
        case .all: .all
        case .none: names.isEmpty ? .none : .some(names)
        case .some(let known): .some(known + names)
        }
    }
}
