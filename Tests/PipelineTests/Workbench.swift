// What the pipeline's tests work with: a registry, a folder, short ways to run things.

import MediaCore
import MediaModel
import Pipeline
import Plugins
import TestSupport
import Testing

/// A folder and the plugins, with the steps most tests share.
struct Workbench {
    let registry: PluginRegistry
    let folder: TemporaryFolder

    init(_ extra: [any Plugin] = []) throws {
        registry = try PluginRegistry(extra + BuiltinPlugins.all)
        folder = try TemporaryFolder()
    }

    /// Two different channels of sound, so many seconds.
    static func synth(_ seconds: Double, rate: Int = 48_000) -> String {
        "synth:sine=frequency=440:sample_rate=\(rate):duration=\(seconds)[l];"
            + "sine=frequency=550:sample_rate=\(rate):duration=\(seconds)[r];[l][r]amerge=2"
    }

    /// Transcodes into a file of the folder and gives its path and the report.
    @discardableResult
    func transcode(
        _ url: String, to name: String, chain: String = "",
        cancellation: CancellationToken = CancellationToken(),
        _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> (path: String, report: TranscodeReport) {
        let path = folder.file(name)
        var request = TranscodeRequest(url: url, outputPath: path)
        if !chain.isEmpty { request.chain = try FilterChain(parsing: chain, registry: registry) }
        change(&request)
        let file = try SystemFileSystem().open(path, .overwrite)
        defer { try? file.close() }
        let report = try Transcoder(request, registry: registry)
            .run(into: file, cancellation: cancellation)
        return (path, report)
    }

    /// Decodes sound to planes.
    func sound(
        _ url: String, chain: String = "", _ change: (inout FrameRequest) -> Void = { _ in }
    ) throws -> Signal {
        var request = FrameRequest(url: url)
        if !chain.isEmpty { request.chain = try FilterChain(parsing: chain, registry: registry) }
        change(&request)
        var planes: [[Float]] = []
        let report = try FrameReader(request, registry: registry).run { frame in
            planes.append(frame)
        }
        return Signal(planes, rate: report.format.sampleRate)
    }

    /// Runs frames of a signal through a node and gives what comes out.
    static func run(
        _ signal: Signal, blocks: Int, through node: any Node<Frame, Frame>,
        before: (Int) -> Void = { _ in }
    ) throws -> (signal: Signal, times: [Int64?]) {
        var planes: [[Float]] = []
        var times: [Int64?] = []
        var start = 0
        while start < signal.frames {
            before(start)
            let count = min(blocks, signal.frames - start)
            try node.process(signal.frame(start, count)) { output in
                planes.append(output)
                times.append(output.pts)
            }
            start += count
        }
        try node.process(nil) { output in
            planes.append(output)
            times.append(output.pts)
        }
        return (Signal(planes, rate: signal.rate), times)
    }
}

extension [[Float]] {
    /// Appends the samples of a planar Float32 frame.
    mutating func append(_ frame: Frame) {
        frame.withFloatPlanes { pointers in
            if isEmpty { self = pointers.map { _ in [] } }
            for (index, pointer) in pointers.enumerated() where index < count {
                self[index] += UnsafeBufferPointer(start: pointer, count: frame.sampleCount)
            }
        }
    }
}

extension Signal {
    /// A part of it as a frame with its time.
    func frame(_ start: Int, _ count: Int) -> Frame {
        let layout: ChannelLayout = planes.count == 1 ? .mono : .stereo
        let format = AudioFormat(sampleRate: rate, layout: layout)
        let frame = Frame.makeAudio(format, sampleCount: count, pts: Int64(start))
        frame.withFloatPlanes { pointers in
            for (channel, pointer) in pointers.enumerated() {
                for index in 0..<count { pointer[index] = planes[channel][start + index] }
            }
        }
        return frame
    }

    /// The largest difference to another, sample by sample.
    func distance(to other: Signal) -> Float {
        guard planes.count == other.planes.count, frames == other.frames else { return .infinity }
        return zip(planes, other.planes).flatMap { zip($0, $1).map { abs($0 - $1) } }.max() ?? 0
    }
}

/// Has FFmpeg make a file in the bench's folder; gives its path.
func ffmpeg(_ name: String, _ arguments: [String], _ bench: Workbench) throws -> String {
    let path = bench.folder.file(name)
    let result = try run(
        "ffmpeg", ["-v", "error", "-y"] + arguments + [path], folder: bench.folder.path)
    #expect(result.status == 0, "\(result)")
    return path
}
