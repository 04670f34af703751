// Sinks that are containers with a fixed setup.

public import MediaCore
public import MediaModel

/// A sink that writes a container.
public struct ContainerSink: SinkPlugin {
    /// The name and what it is for.
    public let info: PluginInfo
    private let preset: ContainerPreset

    /// How it is set up.
    public var container: ContainerPreset? { preset }

    /// Always fails: the pipeline writes containers itself.
    public func makeSink(_ options: Options) throws(MediaError) -> any Sink {
        throw MediaError(.invalidState, "sink \(info.name) takes packets, not frames")
    }

    private init(_ name: String, _ summary: String, _ preset: ContainerPreset) {
        info = PluginInfo(name: name, summary: summary)
        self.preset = preset
    }

    /// Every one there is.
    static let all = [
        ContainerSink(
            "framemd5", "Writes a digest line for every frame of sound and picture.",
            ContainerPreset(
                container: "framemd5", audioEncoder: "pcm_s16le", videoEncoder: "rawvideo",
                kinds: [.audio, .video], copiesUntouched: false)),
        ContainerSink(
            "wav", "Writes the sound as a WAV file.",
            ContainerPreset(
                container: "wav", audioEncoder: "pcm_s16le", kinds: [.audio],
                copiesUntouched: false)),
        ContainerSink(
            "pcm", "Writes bare 16-bit samples, interleaved, low byte first.",
            ContainerPreset(
                container: "s16le", audioEncoder: "pcm_s16le", kinds: [.audio],
                copiesUntouched: false)),
        ContainerSink(
            "png", "Writes each picture as a PNG file; the name takes a number as %03d.",
            ContainerPreset(
                container: "image2", videoEncoder: "png", kinds: [.video],
                copiesUntouched: false)),
        ContainerSink(
            "file", "Writes what the output's name says and copies what nothing touches.",
            ContainerPreset(
                container: nil, kinds: Set(MediaKind.allCases), copiesUntouched: true)),
    ]
}
