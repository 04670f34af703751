// Where frames end.

public import MediaCore

/// Takes the frames of one playback, each stream in its order.
///
/// The stage of each stream calls `write` on its own thread; a sink serialises where it must.
public protocol Sink: AnyObject, Sendable {
    /// Takes a frame of the stream with this index.
    func write(_ frame: Frame, stream: Int) throws(MediaError)
    /// Everything was written.
    func finish() throws(MediaError)
}
