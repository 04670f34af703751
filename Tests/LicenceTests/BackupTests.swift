// Other URLs for what is not licensed, and the licence to ask for them.

import MediaCore
import MediaModel
import Playback
import Plugins
import Synchronization
import TestSupport
import Testing

@testable import Licence

@Suite("A1.1, issue 3, line 3: backup URLs and licenses", .timeLimit(.minutes(20)))
struct BackupTests {
    private let issuer: Issuer
    private let verdicts = Verdicts()
    private let asked = Monitor<[String]>([])

    init() throws { issuer = try Issuer() }

    private func film(_ name: String, _ codec: [String]) throws -> String {
        try MediaRecipe(
            name: name,
            arguments: MediaRecipe.film + ["-t", "1"] + codec + ["-c:a", "aac"]
        ).make(in: issuer.folder)
    }

    /// A player without real time that goes over to a URL; it is let go by the test.
    private func player(
        _ gate: any PremiumGate, _ sink: CapturingSink, backup: String, off: String? = nil,
        _ extra: [any Plugin] = []
    ) throws -> Player {
        let registry = try PluginRegistry(
            BuiltinPlugins.all + [CapturingSinkPlugin(sink)] + extra, gate: gate)
        try registry.onPremium { [verdicts] in verdicts.note($0) }
        if let off { try registry.setCodecEnabled(off, false) }
        var configuration = PlayerConfiguration()
        configuration.clock = .free
        configuration.sink = "capture"
        let player = try Player(registry: registry, configuration: configuration)
        try player.add(FilterSpec(.raw("aformat=sample_fmts=fltp"), label: "form"))
        player.addHook(.backupURL) { [asked] request in
            let line = "\(request.codec ?? "") \(request.error?.code.rawValue ?? "")"
            asked.withLock { $0.append(line) }
            request.proceed(url: backup)
        }
        return player
    }

    @Test(
        "without a licence for VVC: valid=false, the reason, and the backup URL plays",
        arguments: [("other.json", "missing-feature"), ("none.json", "unreadable")])
    func vvc(_ license: String, _ reason: String) throws {
        _ = try issuer.write("other.json") { $0.features = ["DashSupport"] }
        let path = try film("film.mp4", ["-c:v", "libx264"])
        let probe = try BuiltinPlugins.makeRegistry()
        let source = try probe.openSource(path, SourceContext(registry: probe))
        let video = try #require(source.info.bestStream(.video))
        source.close()
        let decoder = DressedDecoderPlugin(video)
        let sink = CapturingSink()
        let player = try player(
            issuer.gate(issuer.folder.file(license)), sink, backup: path,
            [DressedSourcePlugin(), decoder])
        defer { player.close() }
        let events = EventRecorder(player)
        #expect(try player.open("vvc:\(path)").url == path)
        player.play()
        try player.waitUntilEnded()
        #expect(asked.withLock { $0 } == ["vvc not-licensed"])
        #expect(decoder.made == 0)
        #expect(sink.times.filter { $0.stream == 0 }.count == 25)
        #expect(verdicts.words == ["H266Support \(reason)"])
        #expect(verdicts.all.allSatisfy { !$0.isValid })
        #expect(events.names.contains("switch_to_backup_url"))
        #expect(!events.states.contains("failed"))
    }

    @Test("another URL for H.265 is a feature of its own")
    func h265() throws {
        let good = try film("good.mp4", ["-c:v", "libx264"])
        let bad = try film("bad.mp4", ["-c:v", "libx265", "-x265-params", "log-level=none"])
        let refusing = try issuer.write("other.json") { $0.features = ["H266Support"] }
        let refused = try player(
            issuer.gate(refusing), CapturingSink(), backup: good, off: "hevc")
        defer { refused.close() }
        let events = EventRecorder(refused)
        let error = #expect(throws: MediaError.self) { try refused.open(bad) }
        #expect(error?.code == .decoderNotFound)
        #expect(asked.withLock { $0 }.isEmpty)
        #expect(verdicts.words == ["H265Adaptive missing-feature"])
        let warning = events.wait(named: "warning")
        guard case .warning(let message)? = warning else {
            Issue.record("no warning")
            return
        }
        #expect(message.contains("H265Adaptive is refused"))
        let granting = try issuer.write("adaptive.json") { $0.features = ["H265Adaptive"] }
        let granted = try player(
            issuer.gate(granting), CapturingSink(), backup: good, off: "hevc")
        defer { granted.close() }
        #expect(try granted.open(bad).url == good)
        #expect(asked.withLock { $0 } == ["hevc decoder-not-found"])
        #expect(verdicts.words == ["H265Adaptive missing-feature", "H265Adaptive licensed"])
    }
}
