// How sound is laid out in memory.

/// How one sample is stored; the raw value is FFmpeg's name, `p` at the end means one plane a channel.
public enum SampleFormat: String, CaseIterable, Sendable {
    /// Unsigned bytes.
    case u8
    /// 16 bits.
    case s16
    /// 32 bits.
    case s32
    /// Float32.
    case flt
    /// Float64.
    case dbl
    /// Unsigned bytes, planar.
    case u8p
    /// 16 bits, planar.
    case s16p
    /// 32 bits, planar.
    case s32p
    /// Float32, planar.
    case fltp
    /// Float64, planar.
    case dblp
    /// 64 bits.
    case s64
    /// 64 bits, planar.
    case s64p

    /// Whether each channel has a plane of its own.
    public var isPlanar: Bool { rawValue.hasSuffix("p") }

    /// The bytes of one sample of one channel.
    public var bytesPerSample: Int {
        switch self {
        case .u8, .u8p: 1
        case .s16, .s16p: 2
        case .s32, .s32p, .flt, .fltp: 4
        case .dbl, .dblp, .s64, .s64p: 8
        }
    }
}

/// Rate, layout and sample format of a stream of sound.
public struct AudioFormat: Hashable, Sendable, CustomStringConvertible {
    /// Samples a second of each channel, in Hz.
    public var sampleRate: Int
    /// The channels.
    public var layout: ChannelLayout
    /// How a sample is stored.
    public var sampleFormat: SampleFormat

    /// Joins the three.
    public init(sampleRate: Int, layout: ChannelLayout, sampleFormat: SampleFormat = .fltp) {
        self.sampleRate = sampleRate
        self.layout = layout
        self.sampleFormat = sampleFormat
    }

    /// How many channels.
    public var channelCount: Int { layout.channelCount }

    /// `48000 Hz, stereo, fltp`.
    public var description: String { "\(sampleRate) Hz, \(layout), \(sampleFormat.rawValue)" }
}

/// Which formats the next one in line takes; an empty list means any.
public struct AudioFormatSet: Hashable, Sendable {
    /// The sample formats it takes.
    public var sampleFormats: [SampleFormat]
    /// The sample rates it takes, in Hz.
    public var sampleRates: [Int]
    /// The layouts it takes.
    public var layouts: [ChannelLayout]

    /// Makes a set; without arguments it takes everything.
    public init(
        sampleFormats: [SampleFormat] = [], sampleRates: [Int] = [], layouts: [ChannelLayout] = []
    ) {
        self.sampleFormats = sampleFormats
        self.sampleRates = sampleRates
        self.layouts = layouts
    }

    /// Whether a format is in the set.
    public func contains(_ format: AudioFormat) -> Bool {
        (sampleFormats.isEmpty || sampleFormats.contains(format.sampleFormat))
            && (sampleRates.isEmpty || sampleRates.contains(format.sampleRate))
            && (layouts.isEmpty || layouts.contains(format.layout))
    }
}
