// Cuts a stream of frames to a part of it, to the sample.

package import MediaCore
package import MediaModel

/// Lets the part from `start` on pass, `duration` long, and counts time from its beginning.
///
/// Sound is cut between samples; of pictures those pass that are shown first within the part.
package final class TrimNode: Node {
    private let start: MediaTime
    private let end: MediaTime?
    private let keepsTime: Bool
    private let tally: LaneTally?

    /// Whether the end of the part was reached, so that nothing more will pass.
    package private(set) var isDone = false {
        didSet { tally?.mark(done: isDone) }
    }

    /// Cuts from `start` (nil: the beginning) for `duration` (nil: to the end).
    ///
    /// - Parameter keepsTime: leaves timestamps as they are, for playback.
    package init(
        start: MediaTime?, duration: MediaTime?, keepsTime: Bool = false, tally: LaneTally? = nil
    ) {
        self.start = start ?? .zero
        end = duration.map { (start ?? .zero) + $0 }
        self.keepsTime = keepsTime
        self.tally = tally
    }

    package func process(
        _ frame: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let frame, !isDone else { return }
        if frame.isAudio {
            try cut(frame, emit)
        } else {
            try choose(frame, emit)
        }
    }

    package func flush() { isDone = false }

    private func cut(
        _ frame: Frame, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        let base = frame.timeBase
        let pts = frame.pts ?? 0
        let first = start == .zero ? min(0, pts) : base.ticks(start)
        let count = Int64(frame.sampleCount)
        let from = min(max(0, first - pts), count)
        var to = count
        if let end {
            let last = base.ticks(end)
            to = min(max(0, last - pts), count)
            isDone = pts + count >= last
        }
        guard from < to else { return }
        let part = frame.slice(from: Int(from), count: Int(to - from))
        let shift = keepsTime ? 0 : base.ticks(start)
        try emit(
            shift == 0 && part === frame
                ? frame : part.stamped(pts: pts + from - shift, timeBase: base))
    }

    private func choose(
        _ frame: Frame, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        let time = frame.time ?? .zero
        if let end, time >= end {
            isDone = true
            return
        }
        guard start == .zero || time >= start else { return }
        let shift = keepsTime ? 0 : frame.timeBase.ticks(start)
        try emit(
            shift == 0
                ? frame
                : frame.stamped(pts: frame.pts.map { $0 - shift }, timeBase: frame.timeBase))
    }
}
