// One decoded unit of sound or picture.

package import CFFmpeg
public import MediaCore

/// A decoded frame with its timestamp; its samples are shared and, while shared, never change.
///
/// Thread-safety: safe to send; who holds the only reference (`isUnique`) may write to the samples.
public final class Frame: @unchecked Sendable {
    package let avFrame: UnsafeMutablePointer<AVFrame>
    /// What one tick of `pts` lasts.
    public let timeBase: TimeBase

    /// Takes a frame and frees it at the end.
    package init(owning frame: UnsafeMutablePointer<AVFrame>, timeBase: TimeBase) {
        avFrame = frame
        self.timeBase = timeBase
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = avFrame
        av_frame_free(&frame)
    }

    /// When it is shown, in ticks; nil where unknown.
    public var pts: Int64? { known(avFrame.pointee.pts) }
    /// When it is shown, as media time.
    public var time: MediaTime? { pts.map(timeBase.time(ticks:)) }
    /// Whether it holds sound.
    public var isAudio: Bool { avFrame.pointee.nb_samples > 0 }
    /// Samples of each channel; 0 for pictures.
    public var sampleCount: Int { Int(avFrame.pointee.nb_samples) }
    /// How long it lasts: exact for sound, as the stream says for pictures.
    public var duration: MediaTime {
        if isAudio {
            return TimeBase(1, avFrame.pointee.sample_rate).time(ticks: Int64(sampleCount))
        }
        return timeBase.time(ticks: mk_frame_duration(avFrame))
    }

    /// Samples a second of sound, in Hz; 0 for pictures.
    public var sampleRate: Int { isAudio ? Int(avFrame.pointee.sample_rate) : 0 }

    /// What tells one audio format from another, without making its names.
    package var audioSignature: AudioSignature {
        let frame = avFrame.pointee
        return AudioSignature(
            format: frame.format, rate: frame.sample_rate, channels: frame.ch_layout.nb_channels,
            order: frame.ch_layout.order.rawValue,
            mask: frame.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame.ch_layout.u.mask : 0)
    }

    /// The format of sound; nil for pictures and for sample formats the toolkit does not know.
    public var audioFormat: AudioFormat? {
        let frame = avFrame.pointee
        guard isAudio, let name = av_get_sample_fmt_name(AVSampleFormat(frame.format)),
            let format = SampleFormat(rawValue: String(cString: name))
        else { return nil }
        return AudioFormat(
            sampleRate: Int(frame.sample_rate), layout: ChannelLayout(copying: frame.ch_layout),
            sampleFormat: format)
    }

    /// The format of a picture; nil for sound.
    public var videoFormat: VideoFormat? {
        let frame = avFrame.pointee
        guard !isAudio, let name = av_get_pix_fmt_name(AVPixelFormat(frame.format)) else {
            return nil
        }
        return VideoFormat(
            width: Int(frame.width), height: Int(frame.height),
            pixelFormat: String(cString: name),
            sampleAspectRatio: Ratio(
                frame.sample_aspect_ratio.num, frame.sample_aspect_ratio.den))
    }

    /// Whether nobody else sees the samples, so that they may be written to in place.
    public var isUnique: Bool { av_frame_is_writable(avFrame) > 0 }
}

/// Equal for frames of the same audio format; cheap, for each frame.
package struct AudioSignature: Hashable, Sendable {
    let format: Int32
    let rate: Int32
    let channels: Int32
    let order: UInt32
    let mask: UInt64
}
