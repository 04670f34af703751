// Files for tests, made by the ffmpeg program.

public import MediaCore

/// How a file for a test is made by the ffmpeg program.
public struct MediaRecipe: Sendable, CustomStringConvertible {
    /// The name of the file.
    public var name: String
    /// What the program is told, inputs first.
    public var arguments: [String]
    /// The name.
    public var description: String { name }

    /// Describes a file.
    public init(name: String, arguments: [String]) {
        self.name = name
        self.arguments = arguments
    }

    /// Two seconds of a tone at 44.1 kHz.
    public static let sound = [
        "-f", "lavfi", "-i", "sine=frequency=440:duration=2:sample_rate=44100",
    ]
    /// Noise at 48 kHz.
    public static let noise = ["-f", "lavfi", "-i", "anoisesrc=d=1.7:c=pink:seed=3:r=48000:a=0.4"]
    /// A moving test picture with a tone.
    public static let film = [
        "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=2",
        "-f", "lavfi", "-i", "sine=frequency=300:duration=2",
    ]

    /// One file for each way in which decoded timestamps come about.
    public static let decoded: [MediaRecipe] = [
        MediaRecipe(name: "mono.flac", arguments: sound),
        MediaRecipe(name: "24bit.flac", arguments: noise + ["-sample_fmt", "s32"]),
        MediaRecipe(name: "stereo.wav", arguments: noise + ["-ac", "2"]),
        MediaRecipe(
            name: "surround.wav",
            arguments: noise + ["-af", "pan=5.1|FL=c0|FR=c0|FC=c0|LFE=c0|BL=c0|BR=c0"]),
        MediaRecipe(name: "float.wav", arguments: noise + ["-c:a", "pcm_f32le"]),
        MediaRecipe(name: "gapless.mp3", arguments: sound + ["-b:a", "128k"]),
        MediaRecipe(
            name: "headless.mp3", arguments: sound + ["-write_xing", "0", "-id3v2_version", "0"]),
        MediaRecipe(name: "edited.m4a", arguments: sound + ["-c:a", "aac"]),
        MediaRecipe(name: "vorbis.ogg", arguments: noise + ["-c:a", "libvorbis"]),
        MediaRecipe(name: "preskip.opus", arguments: noise + ["-c:a", "libopus"]),
        MediaRecipe(
            name: "film.mp4", arguments: film + ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]),
    ]

    /// Makes the file and gives its path.
    public func make(in folder: TemporaryFolder) throws(MediaError) -> String {
        let path = folder.file(name)
        let result = try run(
            "ffmpeg", ["-v", "error", "-y"] + arguments + ["-bitexact", path])
        guard result.status == 0 else { throw MediaError(.internalError, "ffmpeg: \(result)") }
        return path
    }
}
