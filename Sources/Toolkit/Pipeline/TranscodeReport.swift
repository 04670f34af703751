// What a transcoder did.

public import MediaModel

/// One encoded stream of an output.
public struct EncodedStream: Hashable, Sendable {
    /// The index of the input stream.
    public var index: Int
    /// What it carries.
    public var kind: MediaKind
    /// The encoder that was asked for.
    public var encoder: String
    /// The codec of the packets.
    public var codec: String
    /// The format of decoded sound; nil for pictures.
    public var inputFormat: AudioFormat?
    /// The format the encoder took; nil for pictures.
    public var outputFormat: AudioFormat?
    /// Frames that were encoded.
    public var frames = 0
    /// Samples of each channel that were decoded, after trimming.
    public var samplesIn = 0
    /// Samples of each channel that were encoded.
    public var samplesOut = 0

    /// Begins with what is known before the first frame.
    public init(index: Int, kind: MediaKind, encoder: String = "", codec: String = "") {
        self.index = index
        self.kind = kind
        self.encoder = encoder
        self.codec = codec
    }
}

/// What came of a run.
public struct TranscodeReport: Sendable {
    /// The input.
    public var input: MediaInfo
    /// The container that was written.
    public var container: String
    /// The streams that were decoded and encoded.
    public var encoded: [EncodedStream]
    /// The indices of the streams whose packets were copied.
    public var copied: [Int]
    /// The indices of the streams the output does not have.
    public var dropped: [Int]
    /// Damaged packets, timestamps that were mended, streams that were left out.
    public var warnings: [String]
    /// Whether a part of the input could not be read: damaged packets, an end before the one that
    /// the header says.
    public var isDamaged: Bool

    /// Frames that were encoded, over all streams.
    public var frames: Int { encoded.reduce(0) { $0 + $1.frames } }
}
