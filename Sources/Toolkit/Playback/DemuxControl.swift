// What the engine wants of the reading thread.

internal import MediaCore
internal import MediaModel

/// Orders to the reading thread; the newest one of a kind counts.
///
/// Thread-safety: safe.
final class DemuxControl: Sendable {
    /// What to do next.
    enum Order: Sendable {
        case stop
        /// Give packets of these streams only.
        case select(Set<Int>)
        /// Go to a place, every epoch begins with one; nil for where the source stands. Frames
        /// before `target` are not shown.
        case begin(Epoch, at: MediaTime?, target: MediaTime?)
        /// Read the next packet.
        case read
    }

    private struct State {
        var isStopped = false
        var selection: Set<Int>?
        var place: (epoch: Epoch, time: MediaTime?, target: MediaTime?)?
    }

    private let state = Monitor(State())

    /// Ends the thread.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Chooses streams.
    func select(_ streams: Set<Int>) { state.withLock { $0.selection = streams } }

    /// Begins an epoch.
    func begin(_ epoch: Epoch, at time: MediaTime?, target: MediaTime?) {
        state.withLock { $0.place = (epoch, time, target) }
    }

    /// The next order; waits for one where `isIdle`.
    func next(isIdle: Bool) -> Order {
        state.wait { state -> Order? in
            if state.isStopped { return .stop }
            if let selection = state.selection {
                state.selection = nil
                return .select(selection)
            }
            if let place = state.place {
                state.place = nil
                return .begin(place.epoch, at: place.time, target: place.target)
            }
            return isIdle ? nil : .read
        } ?? .stop
    }
}
