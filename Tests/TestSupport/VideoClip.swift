// Short clips of moving pictures, made by FFmpeg's program, and what is in them.

public import MediaCore

/// A clip in a folder.
public struct VideoClip: Sendable {
    /// Where it is.
    public let path: String
    /// How many pictures it has.
    public let count: Int

    /// Names a clip that is there.
    public init(path: String, count: Int) {
        self.path = path
        self.count = count
    }

    /// Encodes a test picture with a counter at 25 pictures a second.
    ///
    /// - Parameters:
    ///   - encoder: FFmpeg's arguments for it.
    ///   - sound: adds a tone.
    public static func make(
        _ name: String, in folder: TemporaryFolder, count: Int = 60, size: String = "160x90",
        _ encoder: [String] = VideoClip.withBFrames, sound: Bool = false
    ) throws(MediaError) -> VideoClip {
        let path = folder.file(name)
        let seconds = Double(count) / 25
        var arguments = ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25"]
        if sound { arguments += ["-f", "lavfi", "-i", "sine=sample_rate=48000:d=\(seconds)"] }
        arguments += ["-frames:v", "\(count)"] + encoder
        if sound { arguments += ["-c:a", "aac", "-t", "\(seconds)"] }
        let result = try run("ffmpeg", arguments + [path])
        guard result.status == 0 else { throw MediaError(.internalError, "ffmpeg: \(result)") }
        return VideoClip(path: path, count: count)
    }

    /// H.264 with two B frames, one of them a reference, and a keyframe every 20 pictures.
    public static let withBFrames = [
        "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-g", "20", "-bf", "3",
        "-x264-params", "scenecut=0:b-pyramid=normal:b-adapt=0:threads=1",
    ]
    /// The same with open groups of pictures: keyframes that others refer past.
    public static let withOpenGroups = [
        "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-g", "20", "-bf", "3",
        "-x264-params", "scenecut=0:b-pyramid=normal:b-adapt=0:open-gop=1:threads=1",
    ]
}
