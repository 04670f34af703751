// Sound in another sample format, where nothing else of it changes.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Converts samples one by one with libswresample: what a libavfilter graph does too, without its
/// queues and without clearing what is written over.
///
/// Threading: confined.
final class SampleConverter {
    private let input: AudioSignature
    private let output: AudioFormat
    private let ticks: TimeBase
    private var context: OpaquePointer?

    /// Makes a converter; nil where more than the sample format changes, and for layouts that
    /// libswresample does not take.
    init?(_ input: AudioFormat, to output: AudioFormat) {
        guard input.sampleRate == output.sampleRate, input.layout == output.layout else {
            return nil
        }
        let sample = Frame.makeAudio(input, sampleCount: 1, pts: nil)
        self.input = sample.audioSignature
        self.output = output
        ticks = TimeBase(1, Int32(input.sampleRate))
        let isMade = input.layout.withAVLayout { layout in
            var other = layout
            return swr_alloc_set_opts2(
                &context, &other, av_get_sample_fmt(output.sampleFormat.rawValue),
                Int32(output.sampleRate), &layout, av_get_sample_fmt(input.sampleFormat.rawValue),
                Int32(input.sampleRate), 0, nil) >= 0 && swr_init(context) >= 0
        }
        if !isMade {
            swr_free(&context)
            return nil
        }
    }

    deinit { swr_free(&context) }

    /// The frame in the other format.
    ///
    /// - Throws: `filter-failed` for a frame of another format than was said.
    func convert(_ frame: Frame) throws(MediaError) -> Frame {
        guard frame.audioSignature == input else {
            throw MediaError(.filterFailed, "convert samples: the format of the sound has changed")
        }
        guard let made = av_frame_alloc(), av_frame_copy_props(made, frame.avFrame) >= 0 else {
            fatalError("out of memory")
        }
        let pts = frame.pts.map { frame.timeBase.rescale($0, to: ticks) }
        let result = Frame(owning: made, timeBase: ticks)
        made.pointee.format = av_get_sample_fmt(output.sampleFormat.rawValue).rawValue
        made.pointee.sample_rate = Int32(output.sampleRate)
        made.pointee.nb_samples = Int32(frame.sampleCount)
        made.pointee.pts = pts ?? mk_av_nopts_value
        guard
            av_channel_layout_copy(&made.pointee.ch_layout, &frame.avFrame.pointee.ch_layout) >= 0,
            av_frame_get_buffer(made, 0) >= 0
        else { fatalError("out of memory") }
        let count = mk_swr_convert(context, made, frame.avFrame)
        try avCheck(count, "convert samples", else: .filterFailed)
        return result
    }
}

@available(*, unavailable)
extension SampleConverter: Sendable {}
