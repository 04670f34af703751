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
        let format = try LibAVMuxer.outputFormat(request)
        try LibAVMuxer.checkPattern(request, format)
        return ContainerFacts(format, path: request.path)
    }

    /// By FFmpeg's names: a demuxer lists what it reads, and some muxers go by another name.
    public func container(readBy demuxer: String, path: String) throws(MediaError) -> String? {
        let readers = demuxer.split(separator: ",").map(String.init)
        let suggested = try? LibAVMuxer.outputFormat(MuxerRequest(path: path))
        if let name = suggested.map({ String(cString: $0.pointee.name) }),
            readers.contains(LibAVMuxerPlugin.readers[name] ?? name)
        {
            return nil
        }
        for name in readers
        where (try? LibAVMuxer.outputFormat(MuxerRequest(container: name, path: path))) != nil {
            return name
        }
        throw MediaError(
            .containerUnsupported, "\(path.printable): nothing writes the container \(demuxer)")
    }

    /// What a demuxer calls that which is written by a muxer of another name.
    private static let readers = [
        "ipod": "mov", "psp": "mov", "f4v": "mov", "ismv": "mov", "oga": "ogg", "ogv": "ogg",
        "opus": "ogg", "spx": "ogg", "adts": "aac", "latm": "loas", "mp2": "mp3", "vob": "mpeg",
        "vcd": "mpeg", "svcd": "mpeg", "dvd": "mpeg", "asf_stream": "asf", "webm": "matroska",
        "mpeg1video": "mpegvideo", "mpeg2video": "mpegvideo",
    ]

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
        if stream.kind == .audio, request.container == nil,
            !HeldCodecs.isNamed(stream.parameters.avParameters.pointee.codec_id, request.path)
        {
            return false
        }
        return format.takes(
            stream.kind, stream.parameters.avParameters.pointee.codec_id,
            isCover: stream.isAttachedPicture)
    }

    /// Where FFmpeg is older than the codec.
    public func obstacle(_ stream: StreamInfo, _ request: MuxerRequest) -> String? {
        guard let format = try? LibAVMuxer.outputFormat(request) else { return nil }
        // By name: an older FFmpeg may know no more than the container's tag.
        return HeldCodecs.obstacle(
            stream.parameters.codecName, String(cString: format.pointee.name))
    }

    /// Opens a muxer.
    public func makeMuxer(
        _ request: MuxerRequest, into file: (any OpenFile)?
    ) throws(MediaError) -> any Muxer {
        AVLogBridge.install()
        return try LibAVMuxer(request, into: file)
    }
}
