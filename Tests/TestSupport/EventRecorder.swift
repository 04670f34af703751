// The events of a player, kept in order.

import MediaCore
public import Playback

/// Keeps every event of a bus.
///
/// Thread-safety: safe.
public final class EventRecorder: Sendable {
    private let events = Monitor<[PlayerEvent]>([])
    private let subscription: EventBus<PlayerEvent>.Subscription

    /// Listens from now on.
    public init(_ player: Player) {
        let events = self.events
        subscription = player.events.subscribe { event in events.withLock { $0.append(event) } }
    }

    deinit { subscription.cancel() }

    /// All events so far.
    public var all: [PlayerEvent] { events.withLock { $0 } }

    /// The names of all events so far, those of states and statuses with their word.
    public var names: [String] {
        all.map { event in
            switch event {
            case .stateChanged(let state): "state \(state.name)"
            case .statusChanged(let status): "status \(status.rawValue)"
            default: event.name
            }
        }
    }

    /// The names of the states in order.
    public var states: [String] {
        all.compactMap { if case .stateChanged(let state) = $0 { state.name } else { nil } }
    }

    /// Waits for an event that `matches`; nil at the deadline.
    public func wait(
        seconds: Double = 10, _ matches: @escaping @Sendable (PlayerEvent) -> Bool
    ) -> PlayerEvent? {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(seconds))
        return events.wait(until: deadline) { events in events.first(where: matches) }
    }

    /// Waits until so many states of this name came; false at the deadline.
    public func wait(state name: String, times: Int, seconds: Double = 10) -> Bool {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(seconds))
        return events.wait(until: deadline) { events in
            let count = events.count {
                if case .stateChanged(let state) = $0 { state.name == name } else { false }
            }
            return count >= times ? true : nil
        } ?? false
    }

    /// Waits until the last state has this name; false at the deadline.
    public func wait(lastState name: String, seconds: Double = 10) -> Bool {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(seconds))
        return events.wait(until: deadline) { events in
            let last = events.lazy.reversed().compactMap { event in
                if case .stateChanged(let state) = event { state.name } else { nil }
            }.first
            return last == name ? true : nil
        } ?? false
    }

    /// Waits for an event with this name; nil at the deadline.
    public func wait(named name: String, seconds: Double = 10) -> PlayerEvent? {
        wait(seconds: seconds) { $0.name == name }
    }
}
