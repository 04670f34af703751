// What callers ask of the engine, and what its stages tell it.

internal import MediaCore
internal import MediaModel
internal import Pipeline

/// A message to the engine's thread.
enum EngineMessage: Sendable {
    case open(String, Reply<MediaInfo>)
    /// Ends the opening that has this reply, where it is still under way.
    case giveUp(Reply<MediaInfo>)
    case intentChanged
    case seek(MediaTime, SeekPrecision, Reply<MediaTime>)
    case stop(Reply<Void>)
    case select(MediaKind, stream: Int?, Reply<Void>)
    case filters(FilterChange, Reply<Void>)
    case observe(id: Int, PlayerProperty, @Sendable (JSON) -> Void)
    case unobserve(id: Int)
    case addHook(PlayerHook, @Sendable (HookRequest) -> Void)
    case hookAnswered(number: Int, url: String?)
    case awaitEnd(Reply<Void>)
    case report(SessionReport, session: Int)
    case close
}

/// A change of the filters.
enum FilterChange: Sendable {
    case use(FilterChain)
    case add(FilterSpec, at: Int?)
    case remove(String)
    case setEnabled(String, Bool)
    case update(String, [String: OptionValue])
}

/// What the threads of an opened medium tell the engine.
enum SessionReport: Sendable {
    case opened(MediaInfo)
    case openFailed(MediaError)
    /// The first frame of an epoch waits to be shown; nil where the lane has none.
    case primed(lane: Int, Epoch, MediaTime?)
    /// The next frame of an epoch did not come in time.
    case starved(lane: Int, Epoch)
    /// A lane has no packets, though many of another lane that lie further on were read.
    case missing(lane: Int, Epoch)
    /// A picture was shown late, because the decoder is too slow.
    case late(lane: Int, Epoch)
    /// Everything of an epoch went to the sink.
    case drained(lane: Int, Epoch)
    case sourceEnded(Epoch)
    case chain(ChainReportEvent)
    case warning(String)
    /// The decoder of a stream was made.
    case decoder(stream: Int, DecoderChoice)
    /// A device failed; pictures of a stream are decoded in software from now on.
    case switched(stream: Int, SoftwareSwitch)
    /// The decoding thread of a lane has ended with an error.
    case decodingFailed(lane: Int, MediaError)
    case failed(MediaError)
}

/// What a chain tells, with the stream it works on.
enum ChainReportEvent: Sendable {
    case ignored(id: Int, FilterSpec, running: FilterSpec, [String])
    case failed(id: Int, FilterSpec, running: FilterSpec?, MediaError)
    case format(stream: Int, AudioFormat)
}
