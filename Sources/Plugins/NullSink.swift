// A sink that forgets what it gets.

public import MediaCore
public import MediaModel

/// Takes frames of every kind and drops them.
public struct NullSinkPlugin: SinkPlugin {
    /// Makes the descriptor.
    public init() {}

    /// `null`.
    public var info: PluginInfo {
        PluginInfo(name: "null", summary: "Decodes and filters, keeps nothing.")
    }

    /// None: it takes frames.
    public var container: ContainerPreset? { nil }

    /// Makes the sink.
    public func makeSink(_ options: Options) throws(MediaError) -> any Sink { NullSink() }
}

/// Drops frames.
///
/// Thread-safety: safe.
private final class NullSink: Sink {
    func write(_ frame: Frame, stream: Int) throws(MediaError) {}
    func finish() throws(MediaError) {}
}
