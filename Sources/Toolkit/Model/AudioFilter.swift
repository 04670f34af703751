// Sound in, sound out.

public import MediaCore

/// What became of an option change while playing.
public enum FilterUpdate: Hashable, Sendable {
    /// It takes effect from the next samples on.
    case applied
    /// These options keep their old value, each with the reason.
    case ignored([String])
}

/// Frames of sound in, frames of sound out.
///
/// The chain calls `configure` once before the first frame, again after `process(nil)` when the
/// format changes. Output is aligned with input: what a filter delays it takes back by `pts`, and
/// after the drain as many samples have come out as went in (rate changes aside). Threading:
/// confined to one stage.
public protocol AudioFilter: AnyObject {
    /// The input format it wants; the chain converts before it. Default: any.
    var acceptedInput: AudioFormatSet { get }
    /// Takes the input format and gives the output format, one of `accepting` where it can.
    func configure(
        _ input: AudioFormat, accepting output: AudioFormatSet
    ) throws(MediaError) -> AudioFormat
    /// Takes a frame, or nil to drain, and emits what is ready.
    func process(
        _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError)
    /// Changes options while running; live ones take effect within 100 ms of media time.
    ///
    /// - Parameter options: what changes is in `given`; everything else reads as its default, whatever
    ///   it was made with, so keep the values of options that are not given.
    func update(_ options: Options) throws(MediaError) -> FilterUpdate
    /// The options that `update` goes by; nil where they are those of the plugin that is registered
    /// under its name. What is running outlives that one.
    var runningOptions: [OptionSpec]? { get }
    /// Drops what is buffered, for a seek.
    func flush()
    /// How much media time it holds back at most.
    var latency: MediaTime { get }
}

extension AudioFilter {
    /// Any format.
    public var acceptedInput: AudioFormatSet { AudioFormatSet() }
    /// Nothing can be changed while running.
    public func update(_ options: Options) throws(MediaError) -> FilterUpdate {
        .ignored(options.given.keys.sorted().map { "\($0): can't be changed while playing" })
    }
    /// Those of the registered plugin.
    public var runningOptions: [OptionSpec]? { nil }
    /// None.
    public var latency: MediaTime { .zero }
}
