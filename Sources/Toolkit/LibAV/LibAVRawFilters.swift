// libavfilter as the plugin that runs raw filter text.

internal import CFFmpeg
public import MediaCore
public import MediaModel

/// Runs any libavfilter text, converts sound and pictures.
public struct LibAVRawFilters: RawFilterPlugin {
    /// Makes the descriptor; nothing is loaded.
    public init() {}

    /// `libav`.
    public var info: PluginInfo {
        PluginInfo(
            name: "libav", summary: "Runs filters and graphs of FFmpeg's libavfilter.",
            version: String(cString: av_version_info()))
    }

    /// Checks each name, option and value, then the graph as a whole; nothing is run.
    public func check(_ text: String) throws(MediaError) {
        AVLogBridge.install()
        _ = try FilterText.check(text).soundEnds()
    }

    /// Makes the filter.
    public func makeFilter(_ text: String) throws(MediaError) -> sending any AudioFilter {
        LibAVFilter(text)
    }

    /// Makes a converter of sound.
    public func makeConverter() -> sending any AudioFilter { LibAVConverter() }

    /// Makes a converter of pictures.
    public func makeVideoConverter(pixelFormats: [String]) -> sending any VideoConverter {
        LibAVVideoConverter(pixelFormats)
    }

    /// The filters of sound.
    public var catalogue: [PluginInfo] { FilterCatalogue.filtersOfSound }

    /// The options of any filter.
    public func describe(_ name: String) -> [OptionSpec]? { FilterCatalogue.describe(name) }
}
