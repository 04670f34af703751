// The scheme `synth:`.

internal import CFFmpeg
public import MediaCore
public import MediaModel

/// Opens `synth:` followed by the text of a libavfilter graph without inputs.
public struct SynthSourcePlugin: MediaSourcePlugin {
    private static let scheme = "synth:"

    /// Makes the descriptor; nothing is loaded.
    public init() {}

    /// `synth`.
    public var info: PluginInfo {
        PluginInfo(
            name: "synth",
            summary: "Makes sound and pictures: synth:sine=frequency=440:duration=5.",
            version: String(cString: av_version_info()))
    }

    /// 100 for the scheme.
    public func score(url: String) -> Int { url.hasPrefix(SynthSourcePlugin.scheme) ? 100 : 0 }

    /// Checks and builds the graph.
    public func open(
        _ url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        AVLogBridge.install()
        let text = String(url.dropFirst(SynthSourcePlugin.scheme.count))
        return try SynthSource(url: url, text: text, context.cancellation)
    }
}
