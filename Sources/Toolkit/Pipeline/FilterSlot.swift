// One place of a chain whose filter can be exchanged while sound runs.

package import MediaCore
package import MediaModel

/// Holds what sound passes at one place of a chain: a filter, or nothing but a conversion.
///
/// The formats on both sides are fixed by the neighbours. `exchange` builds another path beside the
/// present one, feeds both, and crossfades at the next sample that goes in; where the paths hold
/// back different times, output waits until both have the samples, so that none is lost or doubled.
package final class FilterSlot {
    /// How long a crossfade takes.
    package static let fade = MediaTime.milliseconds(20)

    /// The number by which commands name the slot.
    package let id: Int
    /// What is in it; nil where its filter was removed.
    package var spec: FilterSpec?
    /// What sound passes now.
    package private(set) var path: FilterPath

    private var incoming: (path: FilterPath, fade: Crossfade)?
    private var waiting: FilterPath?

    /// Makes a slot around a path.
    package init(id: Int, spec: FilterSpec?, path: FilterPath) {
        self.id = id
        self.spec = spec
        self.path = path
    }

    /// The format that goes in.
    package var input: AudioFormat { path.input }
    /// The format that comes out.
    package var output: AudioFormat { path.output }
    /// Whether nothing happens in it, so that it can be taken away.
    package var isIdle: Bool {
        spec == nil && incoming == nil && waiting == nil && input == output
    }

    /// The filter that will be heard: the coming one during an exchange.
    package var filter: (any AudioFilter)? { (waiting ?? incoming?.path ?? path).head }

    /// Goes over to another path with the same formats on both sides.
    package func exchange(for next: FilterPath) { waiting = next }

    /// Takes a frame, or nil to drain.
    package func process(
        _ frame: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        if incoming == nil, let next = waiting {
            waiting = nil
            if let frame {
                let ticks = TimeBase(1, Int32(output.sampleRate))
                incoming = (
                    next,
                    Crossfade(
                        start: frame.timeBase.rescale(frame.pts ?? 0, to: ticks),
                        length: Int(ticks.ticks(FilterSlot.fade)))
                )
            } else {
                try path.process(nil, emit: emit)
                path = next
            }
        }
        guard let (next, startingFade) = incoming else {
            try path.process(frame, emit: emit)
            return
        }
        var fade = startingFade
        try path.process(frame) { old throws(MediaError) in fade.appendOld(old) }
        try next.process(frame) { new throws(MediaError) in fade.appendNew(new) }
        try fade.resolve(atEnd: frame == nil, emit: emit)
        if fade.isDone {
            path = next
            incoming = nil
        } else {
            incoming = (next, fade)
        }
    }

    /// Takes other formats, after a drain.
    package func configure(
        _ input: AudioFormat, accepting: AudioFormatSet
    ) throws(MediaError) {
        finishExchange()
        try path.configure(input, accepting: accepting)
    }

    /// Drops what is buffered; an exchange that was under way is done then.
    package func flush() {
        finishExchange()
        path.flush()
    }

    private func finishExchange() {
        if let next = waiting ?? incoming?.path { path = next }
        incoming = nil
        waiting = nil
    }
}
