// Enums of other layers as words that scripts write.

public import LuaRuntime
public import MediaModel
public import Playback

extension PlayerHook: LuaEnum {
    /// The union of hooks.
    public static let luaName = "mk.HookName"
    /// What it is for.
    public static let luaSummary = "When a player waits for a script."
}

extension PluginRegistry.Kind: LuaEnum {
    /// The union of kinds.
    public static let luaName = "mk.PluginKind"
    /// What it is for.
    public static let luaSummary = "What plugins are grouped by."
}

extension MediaKind: LuaEnum {
    /// The union of kinds.
    public static let luaName = "mk.MediaKind"
    /// What it is for.
    public static let luaSummary = "What a stream carries."
}

extension SeekPrecision: LuaEnum {
    /// The union of modes.
    public static let luaName = "mk.SeekMode"
    /// What it is for.
    public static let luaSummary = "How exactly a seek lands."
}
