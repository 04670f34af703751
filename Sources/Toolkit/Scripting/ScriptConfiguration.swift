// How scripts are run: arguments, grants, bounds.

public import LuaRuntime
public import MediaModel

/// What a script is given and allowed.
public struct ScriptConfiguration: Sendable {
    /// The arguments: `...`, `arg` and `mk.args` in the script.
    public var arguments: [String] = []
    /// What it may touch; files named in `arguments` come on top.
    public var permissions = ScriptPermissions()
    /// How long it may run without a pause and how much memory it may use.
    public var limits = LuaState.Limits()
    /// Further folders in which `require` looks, behind the script's own.
    public var moduleFolders: [String] = []
    /// What loads plugin files into the registry; nil where scripts load none.
    public var plugins: (any PluginFiles)?
    /// The version of the program, for `mk.version`.
    public var version = ""

    /// No arguments, no grants, the usual bounds.
    public init() {}
}
