// What other threads tell a script's thread.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel
internal import Playback

/// One entry of a script's mailbox.
enum ScriptMessage: Sendable {
    /// Look again at what is waited for.
    case wake
    /// A player posted an event.
    case event(player: Int, PlayerEvent)
    /// Everything that a player said before this mark has come.
    case mark(Int)
    /// The latest value of an observed property is there to be taken.
    case property(observation: Int)
    /// A player waits at a hook.
    case hook(player: Int, handler: Int, HookRequest)
    /// A job says something on its way.
    case news(job: Int, JSON)
    /// A job has ended.
    case ended(job: Int, JobOutcome)
    /// A premium feature was first used by a player or run.
    case premium(PremiumVerdict)
    /// A person typed a line.
    case line(String, ReplAnswer)
    /// A person types no more.
    case quit(ReplAnswer)
}

/// How a job ended.
enum JobOutcome: Sendable {
    case results(any LuaResults & Sendable)
    case failed(MediaError)
}
