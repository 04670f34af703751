// Pictures on the grid of a frame rate, in a format the encoder takes.

package import MediaCore
package import MediaModel

/// Puts pictures on the ticks of a frame rate and converts their pixels.
///
/// A picture that falls onto a tick already taken is dropped; gaps stay. This is how FFmpeg's
/// command-line tool treats variable frame rates, so outputs can be compared.
package final class PictureNode: Node {
    private let base: TimeBase
    private let accepted: [String]
    private let makeConverter: ([String]) -> (any VideoConverter)?
    private var converter: (any VideoConverter)?
    private var next: Int64 = 0

    /// Makes a grid of `frameRate`; an empty `accepted` lets every pixel format pass.
    package init(
        frameRate: Ratio, accepted: [String],
        makeConverter: @escaping ([String]) -> (any VideoConverter)?
    ) {
        base =
            frameRate.numerator > 0 && frameRate.denominator > 0
            ? TimeBase(frameRate.denominator, frameRate.numerator) : TimeBase(1, 25)
        self.accepted = accepted
        self.makeConverter = makeConverter
    }

    package func process(
        _ frame: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let frame, let tick = tick(of: frame) else { return }
        next = tick + 1
        try emit(try converted(frame).stamped(pts: tick, timeBase: base))
    }

    /// Drops nothing: pictures before and after a seek are one stream.
    package func flush() {}

    /// The tick the picture gets; nil where it is dropped.
    private func tick(of frame: Frame) -> Int64? {
        guard let pts = frame.pts else { return next }
        let exact =
            Double(pts) * Double(frame.timeBase.numerator) * Double(base.denominator)
            / (Double(frame.timeBase.denominator) * Double(base.numerator))
        let ahead = exact - Double(next)
        let end = ahead + Double(max(1, base.ticks(frame.duration)))
        if end <= -0.6 { return nil }
        return ahead < 0 || end <= 0.6 ? next : Int64(exact.rounded(.toNearestOrEven))
    }

    private func converted(_ frame: Frame) throws(MediaError) -> Frame {
        guard let format = frame.videoFormat, !accepted.isEmpty,
            !accepted.contains(format.pixelFormat)
        else { return frame }
        if converter == nil { converter = makeConverter(accepted) }
        guard let converter else {
            throw MediaError(
                .filterFailed,
                "pictures in \(format.pixelFormat) can't be converted: no converter is on")
        }
        return try converter.convert(frame)
    }
}
