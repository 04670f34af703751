// From the first question to the sink: what is refused, what goes on, and what is told of it.

import Batch
import MediaCore
import MediaModel
import Pipeline
import Playback
import Plugins
import TestSupport
import Testing

@testable import Licence

@Suite("A1.1, issue 3 (6): premium features in use")
struct UseTests {
    private static let sine = "synth:sine=frequency=440:sample_rate=48000:duration=1"
    private let issuer: Issuer
    private let verdicts = Verdicts()

    init() throws { issuer = try Issuer() }

    private func registry(
        _ gate: any PremiumGate, _ extra: [any Plugin] = []
    ) throws -> PluginRegistry {
        let registry = try PluginRegistry(BuiltinPlugins.all + extra, gate: gate)
        try registry.onPremium { [verdicts] in verdicts.note($0) }
        return registry
    }

    /// A registry that asks for a licence of other features.
    private func refusing(_ extra: [any Plugin] = []) throws -> PluginRegistry {
        try registry(
            issuer.gate(try issuer.write("other.json") { $0.features = ["DashSupport"] }), extra)
    }

    private func code(_ body: () throws -> Void) -> MediaError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? MediaError)?.code ?? .internalError
        }
    }

    private func chain(_ text: String, _ registry: PluginRegistry) throws -> FilterChain {
        try FilterChain(parsing: text, registry: registry)
    }

    private func player(
        _ registry: PluginRegistry, _ change: (inout PlayerConfiguration) -> Void = { _ in }
    ) throws -> Player {
        var configuration = PlayerConfiguration()
        configuration.clock = .free
        configuration.sink = "capture"
        change(&configuration)
        return try Player(registry: registry, configuration: configuration)
    }

    /// Plays to the end; nil, or the code it failed with.
    private func play(_ player: Player, _ url: String) -> MediaError.Code? {
        let token = CancellationToken()
        let isDone = Monitor(false)
        let guardian = WorkerThread("mk-guardian") {
            let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(20))
            if isDone.wait(until: deadline, { $0 ? true : nil }) == nil { token.cancel() }
        }
        defer {
            isDone.withLock { $0 = true }
            guardian.join()
        }
        return code {
            player.play()
            _ = try player.open(url, cancellation: token)
            player.play()
            try player.waitUntilEnded(cancellation: token)
        }
    }

    // MARK: - Filters

    @Test("a player refuses the filter, keeps what it had, and plays the same sound")
    func player() throws {
        let (plain, sink) = (CapturingSink(), CapturingSink())
        let free = try player(registry(OpenGate(), [CapturingSinkPlugin(plain)]))
        defer { free.close() }
        let form = "aformat=sample_fmts=fltp"
        try free.use(try chain(form, registry(OpenGate())))
        #expect(play(free, Self.sine) == nil)

        let registry = try refusing([CapturingSinkPlugin(sink)])
        let player = try player(registry)
        defer { player.close() }
        try player.use(try chain(form, registry))
        let premium = try chain("\(form),audioEnhance=enable_surround=1", registry)
        #expect(code { try player.use(premium) } == .notLicensed)
        #expect(code { try player.add(premium.filters[1]) } == .notLicensed)
        #expect(player.snapshot.filters.filters.count == 1)
        #expect(play(player, Self.sine) == nil)
        #expect(sink.sound.planes == plain.sound.planes)
        #expect(sink.sound.planes.first?.count == 48000)
        #expect(verdicts.words == ["AudioEnhance missing-feature"])
    }

    @Test("while it plays a refused filter disturbs nothing")
    func whilePlaying() throws {
        let sink = CapturingSink()
        let registry = try refusing([CapturingSinkPlugin(sink)])
        let player = try player(registry) { $0.clock = .realtime }
        defer { player.close() }
        try player.use(try chain("aformat=sample_fmts=fltp", registry))
        _ = try player.open(Self.sine)
        player.play()
        #expect(sink.wait(samples: 4800))
        let premium = try chain("surround", registry)
        #expect(code { try player.add(premium.filters[0]) } == .notLicensed)
        try player.waitUntilEnded()
        #expect(sink.sound.planes.first?.count == 48000)
    }

    @Test("a filter that is off asks for nothing until it is switched on")
    func switchedOff() throws {
        let registry = try refusing([CapturingSinkPlugin(CapturingSink())])
        let player = try player(registry)
        defer { player.close() }
        var spec = try chain("audioEnhance@voice", registry).filters[0]
        spec.isEnabled = false
        try player.add(spec)
        #expect(play(player, Self.sine) == nil)
        #expect(verdicts.all.isEmpty)
        #expect(code { try player.setEnabled("voice", true) } == .notLicensed)
        #expect(player.snapshot.filters.filters[0].isEnabled == false)
        #expect(verdicts.words == ["AudioEnhance missing-feature"])
    }

    @Test(
        "the three enhancing filters are one feature; loudness and the rest are free",
        arguments: [
            ("audioEnhance", true), ("surround", true), ("dialogueEnhance", true),
            ("normalizer", false), ("volume=-3dB", false), ("lavfi.dialoguenhance", false),
        ])
    func filters(_ name: String, _ isPremium: Bool) throws {
        let registry = try refusing()
        let reader = FrameReader(
            FrameRequest(url: Self.sine, chain: try chain(name, registry)), registry: registry)
        let expected = isPremium ? MediaError.Code.notLicensed : nil
        #expect(code { _ = try reader.run { _ in } } == expected)
        #expect(verdicts.all.count == (isPremium ? 1 : 0))
    }

    @Test("each player and each run is told once, in order")
    func told() throws {
        let gate = issuer.gate(try issuer.write())
        let registry = try registry(gate, [CapturingSinkPlugin(CapturingSink())])
        for _ in 0..<2 {
            let player = try player(registry)
            defer { player.close() }
            try player.use(
                try chain("audioEnhance@a,aformat=sample_fmts=fltp,audioEnhance@b", registry))
            #expect(play(player, Self.sine) == nil)
            #expect(play(player, Self.sine) == nil)
        }
        #expect(verdicts.words == ["AudioEnhance licensed", "AudioEnhance licensed"])
        let reader = FrameReader(
            FrameRequest(url: Self.sine, chain: try chain("surround,surround@b", registry)),
            registry: registry)
        _ = try reader.run { _ in }
        #expect(verdicts.words.count == 3)
        #expect(verdicts.all.allSatisfy { $0.isValid && $0.message.contains("ACME") })
    }

    @Test("a verdict that has changed is told again")
    func changed() throws {
        let gate = issuer.gate(try issuer.write())
        let registry = try registry(gate, [CapturingSinkPlugin(CapturingSink())])
        let player = try player(registry)
        defer { player.close() }
        let premium = try chain("audioEnhance", registry)
        try player.use(premium)
        issuer.set("2027-11-01T00:00:00Z")
        #expect(code { try player.add(premium.filters[0]) } == .notLicensed)
        #expect(code { try player.add(premium.filters[0]) } == .notLicensed)
        #expect(verdicts.words == ["AudioEnhance licensed", "AudioEnhance expired"])
    }

    // MARK: - Files

    @Test("a batch is refused before it touches anything, and told once for all its files")
    func batch() throws {
        let folder = try TemporaryFolder()
        let sounds = try (0..<3).map { number in
            try MediaRecipe(name: "\(number).wav", arguments: MediaRecipe.sound).make(in: folder)
        }
        func request(_ registry: PluginRegistry, _ chain: String) throws -> BatchRequest {
            var request = BatchRequest(
                inputs: sounds, chain: try self.chain(chain, registry),
                output: try OutputTemplate(parsing: "\(folder.path)/out/{stem}.flac"))
            request.jobs = 2
            return request
        }
        let refused = try refusing()
        for text in ["audioEnhance=enable_normalizer=1", "dialogueEnhance", "volume=1,surround"] {
            #expect(
                code { _ = try BatchRunner(request(refused, text), registry: refused) }
                    == .notLicensed)
        }
        #expect(try folder.names() == ["0.wav", "1.wav", "2.wav"])
        #expect(verdicts.words == Array(repeating: "AudioEnhance missing-feature", count: 3))
        let granted = try registry(issuer.gate(try issuer.write()))
        let summary = try BatchRunner(
            request(granted, "audioEnhance=enable_normalizer=1:enable_surround=1"),
            registry: granted
        ).run()
        #expect(summary.count(.done) == 3)
        #expect(verdicts.words.last == "AudioEnhance licensed")
        #expect(verdicts.all.count == 4)
    }

    @Test("a conversion is refused before it reads anything; a measurement says why for each file")
    func conversions() throws {
        let registry = try refusing()
        var request = TranscodeRequest(
            url: "missing.wav", chain: try chain("surround", registry), outputPath: "out.wav")
        func convert() -> MediaError.Code? {
            code { _ = try Transcoder(request, registry: registry).run(into: nil) }
        }
        #expect(convert() == .notLicensed)
        request.chain = FilterChain()
        #expect(convert() == .notFound)
        var measure = MeasureRequest(inputs: [Self.sine, "synth:anoisesrc=duration=1"])
        measure.chain = try chain("surround", registry)
        let files = MeasureRunner(measure, registry: registry).run().files
        #expect(files.count == 2)
        for file in files {
            guard case .failure(let error) = file.figures else {
                Issue.record("measured")
                continue
            }
            #expect(error.code == .notLicensed)
        }
        #expect(verdicts.all.count == 2)
    }

    // MARK: - Pictures

    /// A film in a folder, and a decoder of its pictures.
    private func film() throws -> (folder: TemporaryFolder, url: String, DressedDecoderPlugin) {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(
            name: "film.mp4", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "aac"]
        ).make(in: folder)
        let registry = try BuiltinPlugins.makeRegistry()
        let source = try registry.openSource(path, SourceContext(registry: registry))
        defer { source.close() }
        let video = try #require(source.info.bestStream(.video))
        return (folder, "vvc:\(path)", DressedDecoderPlugin(video))
    }

    @Test("a VVC stream is refused whatever decodes it; the sound of the same file plays")
    func pictures() throws {
        let (folder, url, decoder) = try film()
        defer { withExtendedLifetime(folder) {} }
        let sink = CapturingSink()
        let registry = try refusing([CapturingSinkPlugin(sink), DressedSourcePlugin(), decoder])
        let player = try player(registry)
        defer { player.close() }
        let events = EventRecorder(player)
        #expect(play(player, url) == .notLicensed)
        let event = try #require(events.wait(named: "error"))
        guard case .error(let error) = event else { return }
        #expect(error.message.contains("H266Support"))
        #expect(error.message.contains("video stream 0"))
        #expect(decoder.made == 0)
        #expect(verdicts.words == ["H266Support missing-feature"])

        let sound = try self.player(registry) { $0.disablesVideo = true }
        defer { sound.close() }
        try sound.use(try chain("aformat=sample_fmts=fltp", registry))
        #expect(play(sound, url) == nil)
        #expect(sink.sound.planes.first?.count ?? 0 > 80_000)
        #expect(verdicts.all.count == 1)
        let skipping = try self.player(registry) { $0.skipsUnsupported = true }
        defer { skipping.close() }
        try skipping.use(try chain("aformat=sample_fmts=fltp", registry))
        #expect(play(skipping, url) == nil)
        #expect(skipping.snapshot.selected == [.audio: 1])
        #expect(verdicts.words == Array(repeating: "H266Support missing-feature", count: 2))
        // A player that failed for it plays on with another medium.
        #expect(play(player, Self.sine) == nil)
    }

    @Test("a licence with H266Support lets it play")
    func granted() throws {
        let (folder, url, decoder) = try film()
        defer { withExtendedLifetime(folder) {} }
        let sink = CapturingSink()
        let gate = issuer.gate(try issuer.write { $0.features = ["H266Support"] })
        let registry = try registry(
            gate, [CapturingSinkPlugin(sink), DressedSourcePlugin(), decoder])
        // Before the decoder of VVC that newer FFmpeg has.
        try registry.setRank(.decoder, decoder.info.name, 100)
        let player = try player(registry)
        defer { player.close() }
        try player.use(try chain("aformat=sample_fmts=fltp", registry))
        #expect(play(player, url) == nil)
        #expect(decoder.made == 1)
        #expect(sink.times.filter { $0.stream == 0 }.count == 50)
        #expect(verdicts.words == ["H266Support licensed"])
    }

    // MARK: - Listeners

    @Test("a listener comes before the first run, or is an error")
    func late() throws {
        let registry = try BuiltinPlugins.makeRegistry()
        try registry.onPremium { _ in }
        try registry.onPremium { _ in }
        let view = registry.withListener()
        try view.onPremium { _ in }
        let player = try Player(registry: view)
        defer { player.close() }
        #expect(code { try view.onPremium { _ in } } == .invalidState)
        #expect(code { try registry.onPremium { _ in } } == .invalidState)
        try registry.withListener().onPremium { _ in }
        let other = try BuiltinPlugins.makeRegistry()
        _ = FrameReader(FrameRequest(url: Self.sine), registry: other)
        #expect(code { try other.onPremium { _ in } } == .invalidState)
    }

    @Test("a view has a listener of its own, and shares plugins, gate and the outer listener")
    func views() throws {
        let registry = try refusing()
        let own = Verdicts()
        let view = registry.withListener()
        try view.onPremium { own.note($0) }
        #expect(code { try view.require(.h265Adaptive) } == .notLicensed)
        #expect(code { try view.require(.dashSupport) } == nil)
        #expect(own.words == ["H265Adaptive missing-feature", "DashSupport licensed"])
        #expect(verdicts.words == own.words)
        #expect(code { try registry.require(.h265Adaptive) } == .notLicensed)
        #expect(own.all.count == 2)
        try registry.setEnabled(.filter, "surround", false)
        #expect(view.filter(named: "surround") == nil)
    }
}
