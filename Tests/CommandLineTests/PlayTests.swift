// `mediakit play` on real media.

import Glibc
import MediaCore
import TestSupport
import Testing

@Suite("play, from the command line") struct PlayTests {
    private let folder: TemporaryFolder
    private let film: String

    init() throws {
        folder = try TemporaryFolder()
        film = try MediaRecipe(
            name: "film.mp4", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "aac"]
        ).make(in: folder)
    }

    private func kinds(_ arguments: [String]) throws -> Set<String> {
        let result = try runMediakit(
            ["play", film, "--clock", "free", "--sink", "framemd5"] + arguments)
        #expect(result.status == 0, "\(result)")
        return Set(
            result.text.split(separator: "\n").filter { $0.hasPrefix("#media_type") }
                .compactMap { $0.split(separator: " ").last.map(String.init) })
    }

    @Test("sound only, pictures only (A2.9)") func soundOnly() throws {
        #expect(try kinds([]) == ["video", "audio"])
        #expect(try kinds(["--disable-video"]) == ["audio"])
        #expect(try kinds(["--disable-audio"]) == ["video"])
    }

    @Test(
        "a wrong name of the output is a wrong command line",
        arguments: [
            ["--sink", "file"], ["--sink", "file", "--output", "x.unknown"],
            ["--sink", "png", "--output", "q.png"], ["--sink", "file", "--output", "pipe.mp4"],
            ["--sink", "file", "--container", "flcc", "--output", "x"],
        ])
    func outputNames(_ arguments: [String]) throws {
        try folder.write("q.png", [1, 2, 3])
        #expect(mkfifo(folder.file("pipe.mp4"), 0o600) == 0)
        let before = try folder.names()
        var arguments = arguments
        if arguments.contains("--output"), let name = arguments.popLast() {
            arguments.append(folder.file(name))
        }
        let result = try runMediakit(["play", film, "--clock", "free"] + arguments, seconds: 20)
        #expect(result.status == 2, "\(result)")
        #expect(try folder.names() == before)
        #expect(try folder.read("q.png") == [1, 2, 3])
    }

    @Test("a message names the output, not what is beside it")
    func names() throws {
        let output = folder.file("none/y.wav")
        let result = try runMediakit([
            "play", film, "--clock", "free", "--sink", "wav", "--output", output,
        ])
        #expect(result.status == 1, "\(result)")
        #expect(result.errorText.contains(output))
        #expect(!result.errorText.contains(".part"))
    }

    @Test("only an output is named: it is written")
    func outputAlone() throws {
        let output = folder.file("sound.wav")
        let command = ["play", film, "--clock", "free", "--output"]
        let result = try runMediakit(command + [output])
        #expect(result.status == 0, "\(result)")
        #expect(try readFile(output).starts(with: "RIFF".utf8))
        let piped = try runMediakit(command + ["-", "--container", "wav"])
        #expect(piped.output.starts(with: "RIFF".utf8))
        let nameless = try runMediakit(command + ["-"])
        #expect(nameless.status == 2, "\(nameless)")
        #expect(nameless.errorText.contains("name a container"), "\(nameless)")
        let discarded = try runMediakit(
            command + [folder.file("none.wav"), "--sink", "null", "--duration", "0.1"])
        #expect(discarded.status == 0, "\(discarded)")
        #expect((try? readFile(folder.file("none.wav"))) == nil)
    }

    @Test("a missing folder of pictures is told of, and a part behind the end, whatever the sink")
    func nothingToPlay() throws {
        let command = ["play", film, "--clock", "free"]
        let result = try runMediakit(
            command + ["--sink", "png", "--output", folder.file("none/%05d.png")])
        #expect(result.status == 1, "\(result)")
        let told = "folder \(folder.file("none")): no such file or directory"
        #expect(result.errorText.contains(told), "\(result)")
        for sink in ["null", "wav"] {
            let output = sink == "null" ? [] : ["--output", folder.file("part.wav")]
            let behind = try runMediakit(command + ["--sink", sink, "--start", "100"] + output)
            #expect(behind.status == 2, "\(behind)")
            #expect(behind.errorText.contains("nothing lies in the part"), "\(behind)")
        }
        #expect((try? readFile(folder.file("part.wav"))) == nil)
    }

    @Test("sound that the encoder does not take as it is is told of once")
    func changedSound() throws {
        let source = folder.file("deep.wav")
        let made = try run(
            "ffmpeg", ["-v", "error"] + MediaRecipe.noise + ["-ac", "6", "-ar", "96000", source])
        #expect(made.status == 0, "\(made)")
        let command = ["play", source, "--clock", "free", "--output", folder.file("x.mp3")]
        let result = try runMediakit(command)
        #expect(result.status == 0, "\(result)")
        let told = "goes from 96000 Hz 5.1 to 48000 Hz stereo: encoder libmp3lame"
        #expect(result.errorText.ranges(of: told).count == 1, "\(result)")
        let wished = try runMediakit(command + ["--layout", "stereo", "--sample-rate", "48000"])
        #expect(wished.errorText.isEmpty, "\(wished)")
    }

    @Test("a part keeps its chapters only, and none behind the end")
    func parts() throws {
        try folder.write(
            "facts.txt",
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=A\n[CHAPTER]\n"
                .utf8 + Array("TIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=B\n".utf8))
        let source = folder.file("chapters.mkv")
        let made = try run(
            "ffmpeg",
            [
                "-v", "error", "-i", film, "-i", folder.file("facts.txt"), "-map_chapters", "1",
                "-c", "copy", source,
            ])
        #expect(made.status == 0, "\(made)")
        let output = folder.file("part.mkv")
        let command = ["play", source, "--clock", "free", "--sink", "file", "--output", output]
        let part = try runMediakit(command + ["--start", "1.2", "--duration", "0.5"])
        #expect(part.status == 0, "\(part)")
        let chapters = try run(
            "ffprobe", ["-v", "error", "-show_chapters", "-of", "compact", output]
        ).text
        #expect(chapters.split(separator: "\n").count == 1)
        #expect(chapters.contains("start_time=0.000000") && chapters.contains("end_time=0.500000"))
        let before = try folder.names()
        for name in ["behind.mkv", "behind.mp3", "behind.wav"] {
            let behind = try runMediakit(
                command.dropLast() + [folder.file(name), "--start", "100"], seconds: 30)
            #expect(behind.status == 2, "\(behind)")
            #expect(behind.errorText.contains("nothing lies in the part"), "\(behind)")
        }
        #expect(try folder.names() == before)
    }

    @Test("an MP4 with its index behind says on a pipe what it needs")
    func piped() throws {
        let path = folder.file("long.mp4")
        let made = try run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=duration=12:size=320x240", "-c:v",
                "libx264", path,
            ])
        #expect(made.status == 0, "\(made)")
        let result = try runMediakit(
            ["play", "-", "--clock", "free"], input: try readFile(path), seconds: 30)
        #expect(result.status == 3, "\(result)")
        #expect(result.errorText.contains("sought in"), "\(result)")
    }

    @Test("pictures become PNG files, and bare samples go to standard output")
    func otherSinks() throws {
        let frames = try runMediakit([
            "play", film, "--clock", "free", "--duration", "0.2", "--sink", "png", "--output",
            folder.file("frame-%02d.png"),
        ])
        #expect(frames.status == 0, "\(frames)")
        #expect(try folder.names().filter { $0.hasPrefix("frame-") }.count == 5)
        #expect(try folder.read("frame-01.png").prefix(4) == [0x89, 0x50, 0x4E, 0x47])
        let samples = try runMediakit([
            "play", film, "--clock", "free", "--duration", "1", "--sink", "pcm",
        ])
        #expect(samples.output.count == 44100 * 2)
    }
}
