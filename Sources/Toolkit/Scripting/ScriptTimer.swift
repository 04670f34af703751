// Calls at a later time, once or again and again.

internal import LuaRuntime
internal import MediaCore

/// A timer of a script.
///
/// Threading: confined to the script's thread.
final class ScriptTimer: LuaObject {
    static let luaName = "mk.Timer"

    let callback: LuaCallback
    let repeats: Bool
    var period: MediaTime
    /// When it fires next; nil while it is stopped.
    private(set) var due: MediaTime?
    private(set) var isKilled = false
    private let clock: any TimeSource

    init(_ callback: LuaCallback, period: MediaTime, repeats: Bool, clock: any TimeSource) {
        self.callback = callback
        self.repeats = repeats
        self.period = period
        self.clock = clock
        due = clock.now + period
    }

    var luaText: String {
        "timer (\(period.seconds) s, \(due == nil ? "stopped" : "running"))"
    }

    /// Does not fire until it is resumed.
    func stop() { due = nil }

    /// Fires a period from now on.
    func resume() {
        if !isKilled { due = clock.now + period }
    }

    /// Never fires again.
    func kill() {
        isKilled = true
        due = nil
    }

    /// Notes that it fires at `now`; a period that was missed is not made up for.
    func advance(_ now: MediaTime) {
        guard repeats, let last = due else {
            due = nil
            return
        }
        let next = last + period
        due = next > now ? next : now + period
    }
}
