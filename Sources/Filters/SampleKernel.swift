// What works on samples inside a filter, apart from frames and timestamps.

internal import MediaCore
internal import MediaModel

/// Changes planar samples in place, with a constant delay.
///
/// The result must not depend on how the sound is cut into calls. All samples are finite.
protocol SampleKernel: AnyObject {
    /// Takes the format of what follows; called before anything else and after a drain.
    func configure(_ format: AudioFormat) throws(MediaError)
    /// Frames by which the output lags behind the input; constant after `configure`.
    var latency: Int { get }
    /// Takes `frames` frames and leaves as many that are `latency` older.
    func process(_ planes: [UnsafeMutablePointer<Float>], frames: Int)
    /// Takes new options; gives `name: reason` for each that keeps its value.
    func update(_ options: Options) -> [String]
    /// Forgets everything heard.
    func reset()
}

extension SampleKernel {
    /// Calls `body` for each part of `frames` that lies within one piece of `length` frames on a
    /// grid that starts with the sound, so that control values may change between pieces.
    func inPieces(
        of length: Int, from position: inout Int, frames: Int,
        _ body: (_ start: Int, _ count: Int, _ offset: Int) -> Void
    ) {
        var done = 0
        while done < frames {
            let offset = position % length
            let count = min(length - offset, frames - done)
            body(done, count, offset)
            done += count
            position += count
        }
    }
}

extension [UnsafeMutablePointer<Float>] {
    /// The same planes from a later frame on.
    func advanced(by frames: Int) -> [UnsafeMutablePointer<Float>] { map { $0 + frames } }
}
