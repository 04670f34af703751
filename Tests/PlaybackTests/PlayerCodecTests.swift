// Codecs that nothing decodes: the event, the error, and what plays nevertheless.

import MediaCore
import MediaModel
import Pipeline
import Playback
import TestSupport
import Testing

@Suite("A2.15, issue 3: a codec that is off or that nothing decodes")
struct PlayerCodecTests {
    private func makeFilm(_ folder: TemporaryFolder) throws -> String {
        let path = folder.file("film.mkv")
        let made = try run(
            "ffmpeg",
            ["-v", "error", "-y"] + MediaRecipe.film + [
                "-c:v", "mpeg4", "-c:a", "flac", path,
            ])
        #expect(made.status == 0, "\(made)")
        return path
    }

    private func refusals(_ stage: TestStage) -> [JSON] {
        stage.events.all.filter { $0.name.hasSuffix("_codec_not_support") }.map(\.payload)
    }

    @Test("the picture's codec is off: the event, then the error, and nothing plays")
    func error() throws {
        let stage = try TestStage()
        let folder = try TemporaryFolder()
        let film = try makeFilm(folder)
        try stage.registry.setCodecEnabled("mpeg4", false)
        let error = #expect(throws: MediaError.self) { try stage.player.open(film) }
        #expect(error?.code == .decoderNotFound)
        #expect(
            error?.message.hasPrefix("video stream 0: video codec not supported: MPEG4; ") == true)
        #expect(error?.message.contains("enable_codec(\"mpeg4\", true)") == true)
        let names = stage.events.names
        let told = try #require(names.firstIndex(of: "video_codec_not_support"))
        #expect(told < (try #require(names.firstIndex(of: "error"))))
        #expect(refusals(stage).first?["codec"] == .string("mpeg4"))
        #expect(refusals(stage).first?["message"] == error.map { .string($0.message) })
        #expect(stage.sink.times.isEmpty)
    }

    @Test(
        "what can be decoded plays where that is asked for",
        arguments: [(MediaKind.video, "mpeg4", 1), (.audio, "flac", 0)])
    func skips(_ kind: MediaKind, _ codec: String, _ left: Int) throws {
        let stage = try TestStage { $0.skipsUnsupported = true }
        let folder = try TemporaryFolder()
        let film = try makeFilm(folder)
        try stage.registry.setCodecEnabled(codec, false)
        let info = try stage.player.open(film)
        #expect(info.streams[1 - left].decoder == nil)
        #expect(info.streams[left].decoder?.name == "libav")
        #expect(stage.player.snapshot.selected[kind] == nil)
        #expect(stage.events.names.contains("\(kind.rawValue)_codec_not_support"))
        stage.player.play()
        try stage.end()
        #expect(Set(stage.sink.times.map(\.stream)) == [left])
    }

    @Test("an error where nothing is left to play")
    func nothingLeft() throws {
        let stage = try TestStage { $0.skipsUnsupported = true }
        let folder = try TemporaryFolder()
        let film = try makeFilm(folder)
        for codec in ["mpeg4", "flac"] { try stage.registry.setCodecEnabled(codec, false) }
        let error = #expect(throws: MediaError.self) { try stage.player.open(film) }
        #expect(error?.code == .decoderNotFound)
        #expect(refusals(stage).count == 2)
    }

    @Test("what plays goes on when its codec is switched off; another track of it is refused")
    func running() throws {
        // The rest of it comes once all was asked for, so that it does not end before.
        let gate = Gate()
        let url =
            "synth:sine=frequency=440:sample_rate=48000:duration=2[out0];"
            + "sine=frequency=880:sample_rate=48000:duration=2[out1]"
        let stage = try TestStage(
            clock: .realtime, scripts: ["held": (url, [.packets(40), .stall(gate)])])
        let info = try stage.player.open("fake:held")
        let codec = info.streams[0].parameters.codecName
        #expect(info.streams.map { $0.decoder?.reason } == ["the only decoder for it", nil])
        stage.player.play()
        #expect(stage.sink.wait(samples: 1000))
        stage.player.pause()
        try stage.registry.setCodecEnabled(codec, false)
        let error = #expect(throws: MediaError.self) { try stage.player.select(.audio, stream: 1) }
        #expect(error?.code == .decoderNotFound)
        #expect(refusals(stage).count == 1)
        try stage.registry.setCodecEnabled(codec, true)
        gate.open()
        stage.player.play()
        try stage.end()
        #expect(Set(stage.sink.times.map(\.stream)) == [0])
        #expect(stage.sink.sound.frames == 96_000)
    }

    @Test("what is open plays, switched off before its decoder was made")
    func open() throws {
        for round in 0..<40 {
            let stage = try TestStage()
            let info = try stage.player.open("synth:sine=sample_rate=48000:duration=0.1")
            if round % 2 == 0 {
                try stage.registry.setCodecEnabled(info.streams[0].parameters.codecName, false)
            } else {
                let choice = try #require(info.streams[0].decoder)
                try stage.registry.setEnabled(.decoder, choice.name, false)
            }
            stage.player.play()
            try stage.end()
            #expect(stage.sink.sound.frames == 4800)
        }
    }

    @Test("a container that copies a stream needs no decoder for it; one that encodes it does")
    func container() throws {
        let folder = try TemporaryFolder()
        let film = try makeFilm(folder)
        let copied = try TestStage {
            $0.sink = "file"
            $0.output = folder.file("copy.mkv")
        }
        try copied.registry.setCodecEnabled("mpeg4", false)
        #expect(try copied.player.open(film).streams[0].decoder == nil)
        copied.player.play()
        try copied.end()
        let silent = try TestStage {
            $0.sink = "file"
            $0.output = folder.file("silent.mkv")
            $0.disablesAudio = true
        }
        _ = try silent.player.open(film)
        silent.player.play()
        try silent.end()
        let written = try silent.registry.openSource(
            folder.file("silent.mkv"), SourceContext(registry: silent.registry))
        defer { written.close() }
        #expect(written.info.streams.map(\.kind) == [.video])
        let encoded = try TestStage {
            $0.sink = "file"
            $0.output = folder.file("new.mkv")
            $0.settings.videoEncoder = "mpeg4"
        }
        try encoded.registry.setCodecEnabled("mpeg4", false)
        let error = #expect(throws: MediaError.self) { try encoded.player.open(film) }
        #expect(error?.code == .decoderNotFound)
        #expect(try SystemFileSystem().facts(of: folder.file("new.mkv")) == nil)
    }
}
