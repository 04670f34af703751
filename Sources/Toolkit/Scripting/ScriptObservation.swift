// One observed property: the latest value between two turns of the script.

internal import LuaRuntime
internal import MediaCore
internal import Playback

/// Joins a property of a player with a function of the script.
///
/// Values that come while the script is busy are one: the function gets the last. Threading: `slot`
/// is shared with the engine's thread, the rest confined to the script's.
final class ScriptObservation {
    let number: Int
    let property: String
    let player: ScriptPlayer
    private let callback: LuaCallback
    private let slot = Monitor<JSON?>(nil)
    private var observation: PlayerObservation?

    init(_ number: Int, _ property: String, of player: ScriptPlayer, _ callback: LuaCallback) {
        self.number = number
        self.property = property
        self.player = player
        self.callback = callback
    }

    /// Observes a player; the value of this moment comes first.
    func begin(on player: Player, _ mailbox: Mailbox<ScriptMessage>) throws(MediaError) {
        observation?.cancel()
        let (number, slot) = (number, slot)
        observation = try player.observe(property) { value in
            let isFirst = slot.withLock { slot in
                defer { slot = value }
                return slot == nil
            }
            if isFirst { mailbox.post(.property(observation: number)) }
        }
    }

    /// Calls the function with the latest value.
    func deliver(_ context: ScriptContext) {
        let value = slot.withLock { slot in
            defer { slot = nil }
            return slot
        }
        guard let value else { return }
        let property = property
        context.invoke(callback) { stack in
            LuaValue(facts: value).push(to: stack)
            stack.push(property)
            return 2
        }
    }

    /// Observes no more.
    func end() { observation?.cancel() }
}
