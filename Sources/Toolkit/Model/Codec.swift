// Decoders and encoders.

public import MediaCore

/// Packets of one stream in, frames out.
///
/// Drain loop: `receive` until `.needsInput`, then `send`; `send(nil)` begins the drain, then
/// `receive` until `.endOfStream`. Threading: confined.
public protocol Decoder: AnyObject {
    /// Takes a packet, or nil to drain; only after `receive` answered `.needsInput`.
    ///
    /// - Throws: `decode-failed` for a damaged packet, after which decoding may go on.
    func send(_ packet: Packet?) throws(MediaError)
    /// The next frame.
    func receive() throws(MediaError) -> Pull<Frame>
    /// Drops what is buffered, for a seek.
    func flush()
}

/// What an encoder is asked to do.
public struct EncoderRequest: Sendable {
    /// FFmpeg's name of the encoder or codec: `flac`, `libmp3lame`, `aac`, ….
    public var name: String
    /// The format of the frames that come; an encoder may refuse it.
    public var audio: AudioFormat?
    /// The format of the pictures that come.
    public var video: VideoFormat?
    /// Frames a second of video.
    public var frameRate: Ratio?
    /// Bits a second; nil for the encoder's own choice.
    public var bitRate: Int?
    /// Bits of a sample that carry sound (24 in 32-bit samples), from the decoder.
    public var bitsPerRawSample: Int?
    /// Private options of the encoder, by FFmpeg's names.
    public var options: [String: String]
    /// Whether the container wants codec headers apart from the packets.
    public var wantsGlobalHeader: Bool
    /// Threads inside the encoder.
    public var threads: Int
    /// Bits a second where nobody asks for any, unless the encoder can't have them.
    package var usualBitRate: Int?
    /// Colours and fields of the pictures that come; nil for sound and where nobody tells.
    package var traits: PictureTraits?

    /// Asks for an encoder.
    public init(
        name: String, audio: AudioFormat? = nil, video: VideoFormat? = nil,
        frameRate: Ratio? = nil, bitRate: Int? = nil, bitsPerRawSample: Int? = nil,
        options: [String: String] = [:], wantsGlobalHeader: Bool = false, threads: Int = 1
    ) {
        self.name = name
        self.audio = audio
        self.video = video
        self.frameRate = frameRate
        self.bitRate = bitRate
        self.bitsPerRawSample = bitsPerRawSample
        self.options = options
        self.wantsGlobalHeader = wantsGlobalHeader
        self.threads = threads
    }
}

/// Frames of one stream in, packets out.
///
/// The same drain loop as `Decoder`. Threading: confined.
public protocol Encoder: AnyObject {
    /// What a muxer needs; complete once the encoder is made.
    var parameters: CodecParameters { get }
    /// What one tick of its packets lasts.
    var timeBase: TimeBase { get }
    /// Samples each frame must hold, the last one excepted; nil where any number will do.
    var frameSize: Int? { get }
    /// Takes a frame, or nil to drain.
    func send(_ frame: Frame?) throws(MediaError)
    /// The next packet.
    func receive() throws(MediaError) -> Pull<Packet>
}
