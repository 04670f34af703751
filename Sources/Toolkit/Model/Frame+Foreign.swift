// Frames made of memory that belongs to somebody else, without a copy.

internal import CFFmpeg
public import MediaCore

/// Planes of somebody else's memory, and how they are given back.
public struct ForeignPlanes {
    /// The planes in the order of the format; of pictures, their top rows.
    public var planes: [(start: UnsafeMutablePointer<UInt8>, stride: Int)]
    /// Whether nobody else reads or writes them, so that the frame may be changed in place.
    public var isExclusive: Bool
    /// Called once, on any thread, when the last frame on the planes is gone.
    public var release: @Sendable () -> Void

    /// Joins the parts.
    public init(
        planes: [(start: UnsafeMutablePointer<UInt8>, stride: Int)], isExclusive: Bool,
        release: @escaping @Sendable () -> Void
    ) {
        self.planes = planes
        self.isExclusive = isExclusive
        self.release = release
    }
}

/// What a foreign picture says of itself beside its planes.
public struct PictureFacts: Sendable {
    /// Size, pixel format and the shape of a pixel.
    public var format: VideoFormat
    /// Whether it was decoded without any other.
    public var isKeyframe = false
    /// Whether it was decoded around missing or broken data.
    public var isDamaged = false
    /// Whether it holds two fields.
    public var isInterlaced = false
    /// Whether the top field is the first.
    public var isTopFieldFirst = false
    /// Primaries, transfer characteristics and matrix, by the code points of ITU-T H.273.
    public var color: (primaries: UInt8, transfer: UInt8, matrix: UInt8) = (2, 2, 2)
    /// Whether values use the full range.
    public var isFullRange = false
    /// FFmpeg's number of the place of chroma samples; 0 where unknown.
    public var chromaLocation: UInt8 = 0

    /// Begins with a format.
    public init(_ format: VideoFormat) { self.format = format }
}

extension Frame {
    /// A picture on foreign planes; `decode-failed`, with the planes given back, where they can't
    /// hold such a picture.
    public static func makePicture(
        _ facts: PictureFacts, on foreign: ForeignPlanes, pts: Int64?, duration: Int64,
        timeBase: TimeBase
    ) throws(MediaError) -> Frame {
        let owner = ForeignOwner(foreign.release)
        let format = av_get_pix_fmt(facts.format.pixelFormat)
        guard let descriptor = av_pix_fmt_desc_get(format),
            descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0
        else {
            throw refusal("pixel format '\(facts.format.pixelFormat.printable)', which is unknown")
        }
        let size = (width: facts.format.width, height: facts.format.height)
        guard (1...32768).contains(size.width), (1...32768).contains(size.height) else {
            throw refusal("a picture of \(size.width)x\(size.height)")
        }
        let planeCount = Int(av_pix_fmt_count_planes(format))
        // The colours of a picture of numbers are a plane of their own, which has no rows.
        let hasPalette = descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
        let wanted = planeCount + (hasPalette ? 1 : 0)
        guard foreign.planes.count >= wanted else {
            throw refusal("\(foreign.planes.count) of \(wanted) planes")
        }
        guard let frame = av_frame_alloc() else { fatalError("out of memory") }
        let made = Frame(owning: frame, timeBase: timeBase)
        frame.pointee.format = format.rawValue
        frame.pointee.width = Int32(size.width)
        frame.pointee.height = Int32(size.height)
        for index in 0..<planeCount {
            let (start, stride) = foreign.planes[index]
            let shift = index == 1 || index == 2 ? descriptor.pointee.log2_chroma_h : 0
            let rows = (size.height + (1 << shift) - 1) >> shift
            let least = Int(av_image_get_linesize(format, Int32(size.width), Int32(index)))
            guard least > 0, abs(stride) >= least, abs(stride) <= Int(Int32.max) / 2 else {
                throw refusal("\(stride) bytes a row in plane \(index), \(least) are needed")
            }
            let first = stride < 0 ? start + stride * (rows - 1) : start
            frame.attach(owner, plane: index, first, abs(stride) * rows, foreign.isExclusive)
            frame.withPlanes { $0[index] = start }
            frame.setStride(index, Int32(stride))
        }
        if hasPalette {
            let start = foreign.planes[planeCount].start
            frame.attach(owner, plane: planeCount, start, paletteSize, foreign.isExclusive)
            frame.withPlanes { $0[planeCount] = start }
        }
        frame.describe(facts)
        frame.pointee.pts = pts ?? mk_av_nopts_value
        mk_frame_set_duration(frame, max(0, duration))
        return made
    }

    /// Sound on foreign planes; `decode-failed`, with the planes given back, where they can't hold
    /// it.
    public static func makeAudio(
        _ format: AudioFormat, sampleCount: Int, on foreign: ForeignPlanes, pts: Int64?,
        timeBase: TimeBase
    ) throws(MediaError) -> Frame {
        let owner = ForeignOwner(foreign.release)
        let isPlanar = format.sampleFormat.isPlanar
        let planeCount = isPlanar ? format.channelCount : 1
        guard (1...Int(Int32.max) / 1024).contains(sampleCount), planeCount <= 8,
            foreign.planes.count >= planeCount
        else {
            throw refusal("\(sampleCount) samples in \(foreign.planes.count) planes")
        }
        guard let frame = av_frame_alloc() else { fatalError("out of memory") }
        let made = Frame(owning: frame, timeBase: timeBase)
        frame.pointee.format = av_get_sample_fmt(format.sampleFormat.rawValue).rawValue
        frame.pointee.sample_rate = Int32(format.sampleRate)
        frame.pointee.nb_samples = Int32(sampleCount)
        format.layout.withAVLayout { layout in
            _ = av_channel_layout_copy(&frame.pointee.ch_layout, &layout)
        }
        let channels = isPlanar ? 1 : format.channelCount
        let bytes = sampleCount * channels * format.sampleFormat.bytesPerSample
        for index in 0..<planeCount {
            let start = foreign.planes[index].start
            frame.attach(owner, plane: index, start, bytes, foreign.isExclusive)
            frame.withPlanes { $0[index] = start }
        }
        frame.setStride(0, Int32(clamping: bytes))
        frame.pointee.pts = pts ?? mk_av_nopts_value
        return made
    }

    /// The bytes of 256 colours.
    private static let paletteSize = 1024

    private static func refusal(_ what: String) -> MediaError {
        MediaError(.decodeFailed, "a decoder gave \(what)")
    }
}

/// Gives foreign memory back when the last buffer on it is gone.
private final class ForeignOwner: Sendable {
    private let release: @Sendable () -> Void
    init(_ release: @escaping @Sendable () -> Void) { self.release = release }
    deinit { release() }
}

extension UnsafeMutablePointer<AVFrame> {
    /// Makes a buffer of foreign memory that keeps `owner` until it is freed.
    fileprivate func attach(
        _ owner: ForeignOwner, plane: Int, _ start: UnsafeMutablePointer<UInt8>, _ size: Int,
        _ isExclusive: Bool
    ) {
        let kept = Unmanaged.passRetained(owner)
        let buffer = av_buffer_create(
            start, size,
            { opaque, _ in
                if let opaque { Unmanaged<ForeignOwner>.fromOpaque(opaque).release() }
            }, kept.toOpaque(), isExclusive ? 0 : AV_BUFFER_FLAG_READONLY)
        guard let buffer else { fatalError("out of memory") }
        Swift.withUnsafeMutablePointer(to: &pointee.buf) { tuple in
            let list = UnsafeMutableRawPointer(tuple).assumingMemoryBound(
                to: UnsafeMutablePointer<AVBufferRef>?.self)
            list[plane] = buffer
        }
    }

    fileprivate func withPlanes(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Void
    ) {
        // A new frame's `extended_data` is its own `data`.
        if let planes = pointee.extended_data { body(planes) }
    }

    fileprivate func setStride(_ plane: Int, _ stride: Int32) {
        Swift.withUnsafeMutablePointer(to: &pointee.linesize) { tuple in
            UnsafeMutableRawPointer(tuple).assumingMemoryBound(to: Int32.self)[plane] = stride
        }
    }

    fileprivate func describe(_ facts: PictureFacts) {
        let ratio = facts.format.sampleAspectRatio
        pointee.sample_aspect_ratio = AVRational(num: ratio.numerator, den: ratio.denominator)
        pointee.color_primaries = AVColorPrimaries(UInt32(facts.color.primaries))
        pointee.color_trc = AVColorTransferCharacteristic(UInt32(facts.color.transfer))
        pointee.colorspace = AVColorSpace(UInt32(facts.color.matrix))
        pointee.color_range = facts.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_UNSPECIFIED
        pointee.chroma_location = AVChromaLocation(UInt32(facts.chromaLocation))
        mk_frame_set_flags(
            self, facts.isKeyframe ? 1 : 0, facts.isInterlaced ? 1 : 0,
            facts.isTopFieldFirst ? 1 : 0)
        if facts.isDamaged { pointee.flags |= AV_FRAME_FLAG_CORRUPT }
    }
}
