// Streams that end early, begin late or lie far apart in the medium, in real time.

import MediaCore
import MediaModel
import Playback
import TestSupport
import Testing

@Suite("Streams of one medium that do not go together (A2, real time)")
struct PlayerGapTests {
    /// A film whose sound has another length than its pictures.
    private func film(
        _ folder: TemporaryFolder, pictures: Int, sound: Int, soundFrom start: Int = 0
    ) throws -> String {
        let path = folder.file("film.mkv")
        let result = try run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x36:r=10:d=\(pictures)",
                "-itsoffset", "\(start)", "-f", "lavfi", "-i",
                "sine=sample_rate=48000:d=\(sound)", "-c:v", "mpeg4", "-c:a", "flac", path,
            ])
        try #require(result.status == 0, "\(result)")
        return path
    }

    private func play(_ url: String, on stage: TestStage) throws -> (pictures: Int, samples: Int) {
        _ = try stage.player.open(url)
        stage.player.play()
        try stage.end(seconds: 60)
        let pictures = stage.sink.times.filter { $0.stream == 0 }.count
        return (pictures, stage.sink.sound.frames)
    }

    @Test(
        "sound that ends long before the pictures, or pictures long before the sound",
        arguments: [(5, 1), (1, 5), (15, 1)])
    func ends(_ pictures: Int, _ sound: Int) throws {
        let folder = try TemporaryFolder()
        let stage = try TestStage(clock: .realtime)
        let played = try play(try film(folder, pictures: pictures, sound: sound), on: stage)
        #expect(played.pictures == pictures * 10)
        #expect(played.samples == sound * 48_000)
    }

    @Test("sound that begins late")
    func begins() throws {
        let start = 4
        let folder = try TemporaryFolder()
        let stage = try TestStage(clock: .realtime)
        let path = try film(folder, pictures: start + 1, sound: 1, soundFrom: start)
        let played = try play(path, on: stage)
        #expect(played.pictures == (start + 1) * 10)
        #expect(played.samples >= 48_000)
    }

    @Test(
        "sound that lies far behind its pictures in the file", arguments: [MediaKind.audio, .video])
    func apart(_ kind: MediaKind) throws {
        let folder = try TemporaryFolder()
        let path = try film(folder, pictures: 6, sound: 6)
        let stage = try TestStage(
            clock: .realtime, scripts: ["far": (path, [.hold(kind, MediaTime(seconds: 5))])])
        let played = try play("fake:far", on: stage)
        #expect(played.pictures == 60)
        #expect(played.samples == 6 * 48_000)
        // The clock waits for what is there, however far: what goes together comes together.
        let sound = stage.sink.times.filter { $0.stream == 1 }
        let apart = stage.sink.times.filter { $0.stream == 0 }.compactMap { picture in
            sound.last { $0.time <= picture.time }.map { abs(($0.at - picture.at).seconds) }
        }
        #expect(apart.count >= 59)
        // It was 0.03 s on a busy machine, and 2.7 s where the clock went on without them.
        #expect((apart.max() ?? 9) < 1)
    }
}
