// What a transcoder is asked to do.

public import MediaCore
public import MediaModel

/// Which stream of sound passes the filters.
public enum AudioSelection: Hashable, Sendable {
    /// The one a player would choose.
    case best
    /// The stream with this index.
    case stream(Int)
}

/// How the work is spread; the output is the same byte for byte.
public enum Threading: Hashable, Sendable {
    /// Everything on the calling thread; right for many small files side by side.
    case inline
    /// Reading, decoding, filtering and encoding each on a thread of its own.
    case pipelined
}

/// Filters made by a program rather than named in a chain.
public struct ExtraFilters: Sendable {
    /// Before which filter of the chain they stand; the chain's count for the end.
    public var position: Int
    /// Makes them, on the thread that runs them.
    public var make: @Sendable () throws(MediaError) -> [any AudioFilter]

    /// Puts filters into a chain; a `position` below 0 counts as the
    /// start, one beyond the end as the end.
    public init(
        at position: Int = .max,
        make: @escaping @Sendable () throws(MediaError) -> [any AudioFilter]
    ) {
        self.position = position
        self.make = make
    }
}

/// Frames of sound that were decoded before, in place of the input's.
public struct AudioFeed: Sendable {
    /// The next frame, nil at the end; called on one thread at a time, in order.
    public var next: @Sendable () throws(MediaError) -> Frame?

    /// Feeds what `next` gives; frames carry `pts` in ticks of 1 / sample rate, from 0.
    public init(next: @escaping @Sendable () throws(MediaError) -> Frame?) {
        self.next = next
    }
}

/// One input, one chain, one output.
public struct TranscodeRequest: Sendable {
    /// The input.
    public var url: String
    /// Where the output begins in the input; nil for its start.
    public var start: MediaTime?
    /// How much of the input is used; nil for all.
    public var duration: MediaTime?
    /// What the selected sound passes.
    public var chain: FilterChain
    /// What a sink plugin prescribes.
    public var preset: ContainerPreset
    /// What the user wishes.
    public var settings: OutputSettings
    /// The final name of the output, for inference and messages.
    public var outputPath: String
    /// How the work is spread.
    public var threading = Threading.pipelined
    /// Decodes pictures on a device where there is one that can; in software by default.
    public var usesHardwareDecoder = false
    /// Which stream of sound passes the chain; others are copied.
    public var audio = AudioSelection.best
    /// Sound to use in place of the selected stream's; the chain begins at it.
    public var feed: AudioFeed?
    /// Filters beside those of the chain (gain and limiter of a normalisation).
    public var extra: ExtraFilters?
    /// Encodes the selected sound even where nothing touches it yet, because filters may come.
    package var alwaysEncodesAudio = false

    /// Describes the work; `preset` is that of the `file` sink unless another is given.
    public init(
        url: String, start: MediaTime? = nil, duration: MediaTime? = nil,
        chain: FilterChain = FilterChain(), preset: ContainerPreset = .file,
        settings: OutputSettings = OutputSettings(), outputPath: String
    ) {
        self.url = url
        self.start = start
        self.duration = duration
        self.chain = chain
        self.preset = preset
        self.settings = settings
        self.outputPath = outputPath
    }
}

extension ContainerPreset {
    /// Any container by the output's name; what nobody touches is copied.
    public static let file = ContainerPreset(
        container: nil, kinds: Set(MediaKind.allCases), copiesUntouched: true)
}
