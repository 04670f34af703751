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
        return format.takes(MediaKind(descriptor.pointee.type), descriptor.pointee.id)
    }

    /// What FFmpeg's tables say, and what its muxers accept beyond them.
    public func takes(_ stream: StreamInfo, _ request: MuxerRequest) -> Bool {
        guard let format = try? LibAVMuxer.outputFormat(request) else { return false }
        if stream.isAttachedPicture, format.keepsCoversAsComments, stream.coverBytes == nil {
            return false
        }
        return format.takes(
            stream.kind, stream.parameters.avParameters.pointee.codec_id,
            isCover: stream.isAttachedPicture)
    }

    /// Opens a muxer.
    public func makeMuxer(
        _ request: MuxerRequest, into file: (any OpenFile)?
    ) throws(MediaError) -> any Muxer {
        AVLogBridge.install()
        return try LibAVMuxer(request, into: file)
    }
}
