// Files of sound, and the filter that asks a batch to normalise.

public import Batch
public import MediaCore
public import MediaModel
import Pipeline
import Plugins

/// Asks for file mode, as the built-in normaliser does, and is nothing else.
public struct FileModeProbe: FilterPlugin {
    /// Its name.
    public let info = PluginInfo(name: "toTarget", summary: "Asks a batch to normalise.")
    /// Target and ceiling.
    public let options = [
        OptionSpec("target", .double(-70...0), default: .double(-16), "LUFS."),
        OptionSpec("true_peak", .double(-20...0), default: .double(-1), "dBTP."),
    ]

    /// Always fails: a batch measures instead.
    public func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        throw MediaError(.internalError, "file mode was not used")
    }

    /// Its target.
    public func fileModePlan(_ spec: FilterSpec, _ options: Options) -> FileModePlan? {
        FileModePlan(
            before: [],
            target: LoudnessTarget(
                integrated: options.double("target") ?? 0,
                truePeak: options.double("true_peak") ?? 0))
    }
}

/// What the media tests of a batch share.
public enum MediaFixture {
    /// The built-in plugins and the probe.
    public static func makeRegistry() throws(MediaError) -> PluginRegistry {
        try PluginRegistry(BuiltinPlugins.all + [FileModeProbe()])
    }

    /// Encodes a signal with FFmpeg's program; `arguments` stand before the output's name.
    public static func write(
        _ signal: Signal, _ path: String, layout: String = "stereo", _ arguments: [String] = []
    ) throws(MediaError) {
        let result = try run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "f32le", "-ar", "\(signal.rate)", "-ac",
                "\(signal.planes.count)", "-channel_layout", layout, "-i", "-",
            ] + arguments + [path], input: signal.interleavedBytes)
        guard result.status == 0 else { throw MediaError(.internalError, "ffmpeg: \(result)") }
    }

    /// The decoded samples of a file as FFmpeg's program hashes them.
    public static func digest(_ path: String, _ arguments: [String] = []) throws(MediaError)
        -> String
    {
        let result = try run(
            "ffmpeg", ["-v", "error", "-i", path] + arguments + ["-f", "md5", "-"])
        guard result.status == 0 else { throw MediaError(.internalError, "ffmpeg: \(result)") }
        return result.text
    }

    /// The samples of a file, channel by channel for each frame.
    public static func samples(_ path: String) throws(MediaError) -> [Float] {
        let result = try run("ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-"])
        guard result.status == 0 else { throw MediaError(.internalError, "ffmpeg: \(result)") }
        return result.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// One fact of a file's first stream of sound, by ffprobe's name.
    public static func fact(_ name: String, of path: String) throws(MediaError) -> String {
        let result = try run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a:0", "-show_entries", "stream=\(name)", "-of",
                "csv=p=0", path,
            ])
        return result.text.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// A request that normalises to `target`.
    public static func request(
        _ inputs: [String], to target: Double, ceiling: Double = -1, output: String,
        registry: PluginRegistry
    ) throws(MediaError) -> BatchRequest {
        var request = BatchRequest(
            inputs: inputs,
            chain: try FilterChain(
                parsing: "toTarget=target=\(target):true_peak=\(ceiling)", registry: registry),
            output: try OutputTemplate(parsing: output))
        request.settings.isBitExact = true
        return request
    }
}
