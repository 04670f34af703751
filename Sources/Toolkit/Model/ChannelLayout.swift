// Which speakers a stream of sound is for.

package import CFFmpeg

/// A channel layout by its FFmpeg name (`mono`, `stereo`, `5.1`, `5.1(side)`, `7.1`, `4 channels`).
public struct ChannelLayout: Hashable, Sendable, CustomStringConvertible {
    /// The name, as FFmpeg describes it.
    public let name: String
    /// How many channels.
    public let channelCount: Int

    package init(name: String, channelCount: Int) {
        self.name = name
        self.channelCount = channelCount
    }

    /// Reads a name or a channel count (`stereo`, `6c`); nil where FFmpeg knows no such layout.
    public init?(named text: String) {
        var layout = AVChannelLayout()
        guard av_channel_layout_from_string(&layout, text) == 0 else { return nil }
        defer { av_channel_layout_uninit(&layout) }
        guard layout.nb_channels > 0 else { return nil }
        self.init(copying: layout)
    }

    /// Copies FFmpeg's layout; an unordered one becomes the usual layout of its channel count.
    package init(copying layout: AVChannelLayout) {
        var source = layout
        var usual = AVChannelLayout()
        if source.order == AV_CHANNEL_ORDER_UNSPEC {
            av_channel_layout_default(&usual, source.nb_channels)
            source = usual
        }
        var text = [CChar](repeating: 0, count: 256)
        av_channel_layout_describe(&source, &text, text.count)
        name = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        channelCount = Int(layout.nb_channels)
    }

    /// Calls `body` with FFmpeg's form, which is freed afterwards.
    package func withAVLayout<Result>(_ body: (inout AVChannelLayout) -> Result) -> Result {
        var layout = AVChannelLayout()
        if av_channel_layout_from_string(&layout, name) < 0 {
            av_channel_layout_default(&layout, Int32(channelCount))
        }
        defer { av_channel_layout_uninit(&layout) }
        return body(&layout)
    }

    /// The places of the channels in order, as FFmpeg abbreviates them: `FL`, `FR`, `FC`, `LFE`, ….
    public var channelNames: [String] {
        withAVLayout { layout in
            (0..<UInt32(channelCount)).map { index in
                let channel = av_channel_layout_channel_from_index(&layout, index)
                var text = [CChar](repeating: 0, count: 32)
                av_channel_name(&text, text.count, channel)
                return text.withUnsafeBufferPointer {
                    $0.baseAddress.map { String(cString: $0) } ?? ""
                }
            }
        }
    }

    /// One channel.
    public static let mono = ChannelLayout(name: "mono", channelCount: 1)
    /// Left and right.
    public static let stereo = ChannelLayout(name: "stereo", channelCount: 2)

    /// The name.
    public var description: String { name }
}
