// Measuring many files.

import Batch
import Loudness
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Issue 2, section 3: measure")
struct MeasureTests {
    @Test("figures agree with FFmpeg's meter, errors are of one file only")
    func figures() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let signals = [Signal.music(seconds: 5), Signal.noise(level: -20, seconds: 5)]
        for (index, signal) in signals.enumerated() {
            try MediaFixture.write(signal, folder.file("\(index).wav"))
        }
        try folder.write("text.mp4", "no film".utf8)
        try folder.write("empty.flac", [])
        let names = ["0.wav", "text.mp4", "1.wav", "empty.flac", "gone.wav"]
        var request = MeasureRequest(inputs: names.map { folder.file($0) })
        request.jobs = 2
        let summary = MeasureRunner(request, registry: registry).run()
        #expect(summary.files.map(\.input) == names.map { folder.file($0) })
        #expect(summary.exitStatus == 1)
        for (place, index) in [(0, 0), (2, 1)] {
            let figures = try summary.files[place].figures.get()
            let judged = try LoudnessJudgement(file: folder.file("\(index).wav"))
            #expect(abs(figures.measurement.integrated - judged.integrated) <= 0.1)
            #expect(abs(figures.measurement.range - judged.range) <= 0.2)
            #expect(abs((figures.measurement.truePeak ?? 0) - judged.truePeak) <= 0.2)
            #expect(figures.duration == MediaTime(seconds: 5))
            #expect(abs(figures.threshold - figures.measurement.integrated + 10) < 1)
        }
        for place in [1, 3, 4] {
            #expect(throws: MediaError.self) { try summary.files[place].figures.get() }
        }
        let json = try JSON(parsing: summary.json.description.utf8)
        #expect(json["files"]?.elements?.count == 5)
        #expect(json["files"]?.elements?[0]["loudness"]?["true_peak"]?.number != nil)
        #expect(json["album"]?["integrated"]?.number != nil)
    }

    @Test("a single file that can't be read ends with its own status")
    func single() throws {
        let registry = try MediaFixture.makeRegistry()
        let request = MeasureRequest(inputs: ["/nowhere/x.wav"])
        #expect(MeasureRunner(request, registry: registry).run().exitStatus == 3)
    }

    @Test("a file that was cut off is measured, and said to be")
    func cutOff() throws {
        let folder = try TemporaryFolder()
        let whole = folder.file("whole.flac")
        try MediaFixture.write(.noise(level: -20, seconds: 8), whole)
        let bytes = try folder.read("whole.flac")
        let half = try folder.write("half.flac", bytes.prefix(bytes.count / 2))
        let registry = try MediaFixture.makeRegistry()
        let summary = MeasureRunner(MeasureRequest(inputs: [whole, half]), registry: registry).run()
        #expect(summary.exitStatus == 0)
        #expect(summary.files[0].warnings.isEmpty)
        #expect(summary.files[1].warnings.contains { $0.contains("may have been cut off") })
        let rows = summary.json["files"]?.elements
        #expect(rows?[0]["warnings"] == nil)
        #expect(rows?[1]["warnings"]?.elements?.isEmpty == false)
    }
}
