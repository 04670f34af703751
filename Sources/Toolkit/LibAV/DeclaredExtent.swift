// How long a medium says it is, and how long it turns out to be.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Follows packets to their end, to tell a file that was cut off from one that is whole.
struct DeclaredExtent {
    /// Headers are rounded, and written before the last frames are known.
    private static let tolerance = MediaTime(seconds: 1)
    private static let relativeTolerance = 0.01

    private var end = MediaTime.zero

    /// Takes a packet that was read.
    mutating func see(_ packet: UnsafeMutablePointer<AVPacket>, _ timeBase: TimeBase) {
        guard let start = known(packet.pointee.pts) ?? known(packet.pointee.dts) else { return }
        end = max(end, timeBase.time(ticks: start + packet.pointee.duration))
    }

    /// A sentence where the header says more than came, once everything came.
    ///
    /// - Parameter deselected: streams whose packets were left out, the longest perhaps among them.
    func remarks(
        on info: MediaInfo, _ context: UnsafeMutablePointer<AVFormatContext>,
        without deselected: Set<Int>
    ) -> [String] {
        // FFmpeg may also have measured or guessed the length from the bytes that are there.
        guard
            context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM,
            let declared = info.duration,
            !info.streams.contains(where: {
                deselected.contains($0.index) && [.audio, .video].contains($0.kind)
                    && !$0.isAttachedPicture
            })
        else { return [] }
        let found = end - info.startTime
        let missing = declared - found
        guard missing > DeclaredExtent.tolerance,
            missing.seconds > declared.seconds * DeclaredExtent.relativeTolerance
        else { return [] }
        return [
            "the medium ends at \(found) and its header says \(declared); it may have been cut off"
        ]
    }
}
