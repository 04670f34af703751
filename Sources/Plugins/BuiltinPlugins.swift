// The one list of what is built in.

internal import Filters
internal import LibAV
public import MediaCore
public import MediaModel

/// What is built in.
public enum BuiltinPlugins {
    /// Every built-in plugin, in the order in which equals are chosen.
    public static var all: [any Plugin] {
        [
            FileSource(), SynthSourcePlugin(),
            LibAVDemuxerPlugin(), LibAVDecoderPlugin(), LibAVEncoderPlugin(), LibAVMuxerPlugin(),
            LibAVRawFilters(),
            NullSinkPlugin(),
        ] + AllFilters.plugins + ContainerSink.all
    }

    /// A registry of all of them, switched on.
    ///
    /// - Parameter gate: decides on premium features; all are granted unless one is given.
    public static func makeRegistry(
        gate: any PremiumGate = OpenGate()
    ) throws(MediaError) -> PluginRegistry {
        try PluginRegistry(all, gate: gate)
    }
}
