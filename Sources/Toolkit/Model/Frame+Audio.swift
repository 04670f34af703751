// Making frames of sound and reaching their samples.

internal import CFFmpeg
public import MediaCore

extension Frame {
    /// Makes a frame of `sampleCount` samples a channel, all zero for signed and float formats.
    ///
    /// - Parameters:
    ///   - sampleCount: from 1 on; the program stops at others, for there is no empty frame.
    ///   - pts: in ticks of 1 / sample rate.
    public static func makeAudio(
        _ format: AudioFormat, sampleCount: Int, pts: Int64?
    ) -> Frame {
        precondition(
            (1...Int(Int32.max)).contains(sampleCount),
            "a frame of sound holds at least one sample, not \(sampleCount)")
        guard let frame = av_frame_alloc() else { fatalError("out of memory") }
        frame.pointee.format = av_get_sample_fmt(format.sampleFormat.rawValue).rawValue
        frame.pointee.sample_rate = Int32(format.sampleRate)
        frame.pointee.nb_samples = Int32(sampleCount)
        format.layout.withAVLayout { layout in
            _ = av_channel_layout_copy(&frame.pointee.ch_layout, &layout)
        }
        guard av_frame_get_buffer(frame, 0) == 0 else { fatalError("out of memory") }
        av_samples_set_silence(
            frame.pointee.extended_data, 0, Int32(sampleCount), Int32(format.channelCount),
            AVSampleFormat(frame.pointee.format))
        frame.pointee.pts = pts ?? mk_av_nopts_value
        return Frame(owning: frame, timeBase: TimeBase(1, Int32(format.sampleRate)))
    }

    /// A frame with the same properties whose samples nobody else sees.
    public func makeUnique() -> Frame {
        if isUnique { return self }
        guard let clone = av_frame_clone(avFrame), av_frame_make_writable(clone) == 0 else {
            fatalError("out of memory")
        }
        return Frame(owning: clone, timeBase: timeBase)
    }

    /// A frame on the same samples with another timestamp.
    public func stamped(pts: Int64?, timeBase: TimeBase) -> Frame {
        guard let clone = av_frame_clone(avFrame) else { fatalError("out of memory") }
        clone.pointee.pts = pts ?? mk_av_nopts_value
        return Frame(owning: clone, timeBase: timeBase)
    }

    /// The samples of one plane: of a channel when planar, of all channels when interleaved.
    ///
    /// Write only while `isUnique`; the pointer ends with `body`. Empty for a plane that is not there.
    public func withPlane<Sample: BitwiseCopyable, Result>(
        _ index: Int, as type: Sample.Type,
        _ body: (UnsafeMutableBufferPointer<Sample>) -> Result
    ) -> Result {
        let frame = avFrame.pointee
        let format = AVSampleFormat(frame.format)
        let planes = av_sample_fmt_is_planar(format) == 1 ? Int(frame.ch_layout.nb_channels) : 1
        guard isAudio, (0..<planes).contains(index), let data = frame.extended_data[index] else {
            return body(UnsafeMutableBufferPointer(start: nil, count: 0))
        }
        let channels = planes == 1 ? Int(frame.ch_layout.nb_channels) : 1
        let bytes = sampleCount * channels * Int(av_get_bytes_per_sample(format))
        let count = bytes / MemoryLayout<Sample>.stride
        return data.withMemoryRebound(to: type, capacity: count) { start in
            body(UnsafeMutableBufferPointer(start: start, count: count))
        }
    }

    /// The planes of a planar Float32 frame, one a channel; write only while `isUnique`.
    ///
    /// The pointers end with `body`. Empty when the frame is of another format.
    public func withFloatPlanes<Result>(
        _ body: ([UnsafeMutablePointer<Float>]) -> Result
    ) -> Result {
        guard avFrame.pointee.format == AV_SAMPLE_FMT_FLTP.rawValue, isAudio else {
            return body([])
        }
        let planes = (0..<Int(avFrame.pointee.ch_layout.nb_channels)).compactMap { channel in
            avFrame.pointee.extended_data[channel].map {
                UnsafeMutableRawPointer($0).assumingMemoryBound(to: Float.self)
            }
        }
        return body(planes)
    }

    /// The planes of sound as they lie in memory; write only while `isUnique`.
    ///
    /// The pointers end with `body`. Empty for pictures.
    public func withRawPlanes<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UnsafeMutableRawPointer?>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isPlanar = av_sample_fmt_is_planar(AVSampleFormat(avFrame.pointee.format)) == 1
        let count = !isAudio ? 0 : isPlanar ? Int(avFrame.pointee.ch_layout.nb_channels) : 1
        // The same list with its elements as pointers to anything.
        let planes = avFrame.pointee.extended_data.map {
            UnsafeRawPointer($0).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        }
        return try body(UnsafeBufferPointer(start: planes, count: planes == nil ? 0 : count))
    }

    /// Copies `count` samples of each channel from a frame of the same format; write only while
    /// `isUnique`.
    public func copySamples(from source: Frame, at start: Int, to place: Int, count: Int) {
        let format = avFrame.pointee
        precondition(
            format.format == source.avFrame.pointee.format
                && format.ch_layout.nb_channels == source.avFrame.pointee.ch_layout.nb_channels
                && start >= 0 && place >= 0 && count >= 0
                && start <= source.sampleCount - count && place <= sampleCount - count,
            "samples are copied between frames of one format and within their bounds")
        av_samples_copy(
            format.extended_data, source.avFrame.pointee.extended_data, Int32(place), Int32(start),
            Int32(count), format.ch_layout.nb_channels, AVSampleFormat(format.format))
    }

    /// The samples from `start` on, `count` of each channel, as a frame of its own with its time.
    ///
    /// What lies outside the frame is left out; the program stops where nothing is left, for there
    /// is no empty frame.
    public func slice(from start: Int, count: Int) -> Frame {
        let (sum, overflow) = start.addingReportingOverflow(count)
        let end = min(sampleCount, overflow ? (count < 0 ? 0 : .max) : sum)
        let start = max(0, start)
        let count = end - start
        precondition(
            count > 0 || !isAudio,
            "a slice holds at least one of the frame's \(sampleCount) samples")
        guard start > 0 || count < sampleCount, let format = audioFormat else { return self }
        let ticks = TimeBase(1, Int32(format.sampleRate))
        let begin = pts.map { timeBase.rescale($0, to: ticks) + Int64(start) }
        let part = Frame.makeAudio(format, sampleCount: count, pts: begin)
        av_samples_copy(
            part.avFrame.pointee.extended_data, avFrame.pointee.extended_data, 0, Int32(start),
            Int32(count), Int32(format.channelCount), AVSampleFormat(avFrame.pointee.format))
        return part
    }
}
