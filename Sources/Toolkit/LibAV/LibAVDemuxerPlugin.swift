// FFmpeg's demuxers as one plugin.

internal import CFFmpeg
public import MediaCore
public import MediaModel

/// Reads every container that FFmpeg reads.
public struct LibAVDemuxerPlugin: DemuxerPlugin {
    /// Makes the descriptor; nothing is loaded.
    public init() {}

    /// `libav`.
    public var info: PluginInfo {
        PluginInfo(
            name: "libav", summary: "Reads containers with FFmpeg's libavformat.",
            version: String(cString: av_version_info()))
    }

    /// FFmpeg's own score, at least 1: it may find out more once it is let to read on.
    public func score(head: [UInt8], url: String) -> Int {
        let padding = [UInt8](repeating: 0, count: Int(AVPROBE_PADDING_SIZE))
        var bytes = head + padding
        return bytes.withUnsafeMutableBufferPointer { buffer in
            url.withOSPath { name in
                var data = AVProbeData(
                    filename: name, buf: buffer.baseAddress, buf_size: Int32(head.count),
                    mime_type: nil)
                var score: Int32 = 0
                _ = av_probe_input_format3(&data, 1, &score)
                return max(1, Int(score))
            }
        }
    }

    /// Opens and probes the container.
    public func open(
        _ bytes: sending any DataSource, url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        AVLogBridge.install()
        return try LibAVDemuxer(bytes, url: url, context.cancellation)
    }
}
