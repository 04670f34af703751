// FFmpeg's muxers as one plugin.

internal import CFFmpeg
public import MediaCore
public import MediaModel

/// Writes every container that FFmpeg writes.
public struct LibAVMuxerPlugin: MuxerPlugin {
    /// Makes the descriptor; nothing is loaded.
    public init() {}

    /// `libav`.
    public var info: PluginInfo {
        PluginInfo(
            name: "libav", summary: "Writes containers with FFmpeg's libavformat.",
            version: String(cString: av_version_info()))
    }

    /// What FFmpeg says of the container.
    public func facts(_ request: MuxerRequest) throws(MediaError) -> ContainerFacts {
        ContainerFacts(try LibAVMuxer.outputFormat(request), path: request.path)
    }

    /// What FFmpeg's tables say.
    public func takes(codec: String, _ request: MuxerRequest) -> Bool {
        guard let format = try? LibAVMuxer.outputFormat(request),
            let descriptor = avcodec_descriptor_get_by_name(codec)
        else { return false }
        return format.pointee.takes(descriptor.pointee.id)
    }

    /// Opens a muxer.
    public func makeMuxer(
        _ request: MuxerRequest, into file: (any OpenFile)?
    ) throws(MediaError) -> any Muxer {
        AVLogBridge.install()
        return try LibAVMuxer(request, into: file)
    }
}
