// Why a piece of Lua did not run to its end.

public import MediaCore

/// What ended a script from outside.
public enum LuaStop: Int32, Sendable {
    /// It ran longer than its budget without a pause.
    case timedOut = 1
    /// The user or the embedding program wants it to end.
    case interrupted = 2
    /// It asked to end itself.
    case quit = 3
    /// What it printed could not be written.
    case outputFailed = 4
}

/// A failure of Lua code: what kind, the message with file and line, and the traceback.
public struct LuaError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Hashable, Sendable {
        /// The text is not Lua.
        case syntax
        /// Code raised an error.
        case runtime
        /// The memory budget is spent.
        case memory
        /// The script was stopped from outside.
        case stopped(LuaStop)
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// `script.lua:3: what went wrong`.
    public let message: String
    /// The calls that were active, one a line; empty where there were none.
    public let traceback: String

    /// Joins the parts.
    public init(kind: Kind, message: String, traceback: String = "") {
        self.kind = kind
        self.message = message
        self.traceback = traceback
    }

    /// The message, and the traceback below it.
    public var description: String { traceback.isEmpty ? message : message + "\n" + traceback }

    /// Whether the text merely ends too early, so that a dialogue should ask for more.
    public var isIncomplete: Bool { kind == .syntax && message.hasSuffix("near <eof>") }

    /// The same failure for callers that know only the toolkit's errors.
    public var mediaError: MediaError {
        kind == .stopped(.interrupted)
            ? MediaError(.cancelled, message) : MediaError(.scriptFailed, message)
    }
}
