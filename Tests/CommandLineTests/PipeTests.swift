// Standard streams that end early, and signals.

import Glibc
import MediaCore
import TestSupport
import Testing

@Suite("Unplugged streams and signals") struct PipeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let endless = ["play", "synth:sine=frequency=440"]

    @Test("pcm into a closed pipe ends with one error and status 1")
    func closedOutput() throws {
        let child = try ChildProcess(
            mediakitPath, Self.endless + ["--clock", "free", "--sink", "pcm"])
        child.closeOutput()
        let result = child.finish(seconds: 10)
        #expect(!result.timedOut)
        #expect(result.status == 1, "\(result)")
        #expect(result.errorText.contains("broken pipe"), "\(result)")
    }

    @Test("standard input that ends in the middle of a file is an error, not a hang")
    func cutInput() throws {
        let path = try MediaRecipe(name: "a.flac", arguments: MediaRecipe.sound).make(in: folder)
        let bytes = try readFile(path)
        let whole = try runMediakit(
            ["play", "-", "--clock", "free", "--sink", "framemd5"], input: bytes, seconds: 10)
        #expect(whole.status == 0, "\(whole)")
        let cut = try runMediakit(
            ["play", "-", "--clock", "free"], input: Array(bytes.prefix(20)), seconds: 10)
        #expect(cut.status == 3, "\(cut)")
        let none = try runMediakit(["play", "-", "--clock", "free"], seconds: 10)
        #expect(none.status == 3, "\(none)")
    }

    @Test("an MP4 whose index comes last can't come through a pipe, and it is told what to do")
    func indexBehindMedia() throws {
        let sound = ["-f", "lavfi", "-i", "sine=d=20", "-c:a", "aac", "-b:a", "128k"]
        for (name, options, status) in [
            ("last.mp4", [], 3), ("first.mp4", ["-movflags", "+faststart"], 0),
        ] {
            let path = try MediaRecipe(name: name, arguments: sound + options).make(in: folder)
            let result = try runMediakit(
                ["play", "-", "--clock", "free"], input: try readFile(path), seconds: 20)
            #expect(result.status == Int32(status), "\(result)")
            #expect(result.errorText.contains("save it to a file first") == (status == 3))
        }
        let vvc = try runMediakit(
            ["play", "-", "--clock", "free", "--plugin", try Workshop.vvc.get()],
            input: try readFile("\(Workshop.root)/vvc/samples/mandelbrot_320x180_10b.mp4"),
            seconds: 20)
        // FFmpeg 7.1 knows the record that the decoder needs, and finds this small file in its buffer.
        #expect(
            vvc.status == 0 || vvc.errorText.contains("save it to a file first"), "\(vvc)")
    }

    @Test(
        "Ctrl-C ends playback and removes what was not complete", arguments: ["realtime", "free"])
    func interrupt(_ clock: String) throws {
        let output = folder.file("tone.wav")
        let child = try ChildProcess(
            mediakitPath, Self.endless + ["--clock", clock, "--sink", "wav", "--output", output])
        usleep(400_000)
        child.signal(SIGINT)
        let result = child.finish(seconds: 10)
        #expect(!result.timedOut)
        #expect(result.status == 130, "\(result)")
        #expect(try folder.names() == [])
    }

    @Test("Ctrl-C ends a batch, and the same command finishes it")
    func interruptBatch() throws {
        for index in 0..<3 {
            _ = try MediaRecipe(
                name: "\(index).wav",
                arguments: ["-f", "lavfi", "-i", "anoisesrc=d=120:seed=\(index):a=0.3"]
            ).make(in: folder)
        }
        let command = [
            "batch", folder.file("*.wav"), "--filter", "volume=-3dB,alimiter", "--output",
            folder.file("out/{stem}.flac"),
        ]
        let child = try ChildProcess(mediakitPath, command)
        // Not before it has begun: a run broken off earlier leaves no folder to look into.
        for _ in 0..<400 where (try? SystemFileSystem().list(folder.file("out")).count) ?? 0 < 2 {
            usleep(50_000)
        }
        child.signal(SIGINT)
        let result = child.finish(seconds: 20)
        #expect(result.status == 130 || result.status == 0, "\(result)")
        let names = (try? SystemFileSystem().list(folder.file("out"))) ?? []
        #expect(!names.contains { $0.hasSuffix(".tmp") })
        let again = try runMediakit(command, seconds: 120)
        #expect(again.status == 0, "\(again)")
        #expect(
            try SystemFileSystem().list(folder.file("out"))
                == [".mediakit-journal.jsonl", "0.flac", "1.flac", "2.flac"])
    }

    @Test("a script that waits for ever ends at Ctrl-C with status 130")
    func interruptScript() throws {
        let script = try folder.write(
            "wait.lua",
            Array("local p = mk.player{}\np:open('synth:sine')\np:play()\nmk.run()\n".utf8))
        let child = try ChildProcess(mediakitPath, ["run", script])
        usleep(500_000)
        child.signal(SIGINT)
        let result = child.finish(seconds: 10)
        #expect(result.status == 130, "\(result)")
    }
}
