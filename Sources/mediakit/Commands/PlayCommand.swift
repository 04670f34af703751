// `mediakit play`: one medium through a chain into a sink.

import Toolkit

struct PlayCommand: Command {
    let name = "play"
    let summary = "Plays a medium through filters into a sink, in real time or as fast as it goes."
    let discussion = """
        FILE is a file, `-` for standard input, or `synth:` with libavfilter sources. Playing needs no
        device and uses none: to hear it, pipe a sink into a player of sound. Sinks: null plays and
        discards, at the pace of the medium; framemd5 prints a hash of each decoded frame; wav and pcm write sound;
        png writes one picture a frame (--output "out/%05d.png"); file writes any container: it copies
        pictures, subtitles and covers, and always encodes sound, because filters may change while it
        plays (batch copies sound that no filter touches).

        Examples:
          mediakit play film.mp4 --clock free --sink framemd5
          mediakit play talk.wav --filter "dialogueEnhance=dialoguenhance_voice=6" --sink wav \\
              --output louder.wav --clock free
          mediakit play film.mp4 --sink wav | aplay
        """
    let operands = Operands(usage: "FILE", least: 1, most: 1)
    let options =
        [
            OptionSpec(
                "filter", .string, default: nil, unit: "CHAIN",
                "Filters that the sound passes, such as volume=-3dB,alimiter: see docs/chains.md.")
        ] + PlayerConfiguration.options.filter { $0.name != "autoplay" }

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let registry = try line.plugins().registry
        let chain = try FilterChain(
            option: line.options.string("filter"), registry: registry)
        var configuration = try PlayerConfiguration(line.options)
        configuration.autoplay = true
        try Interrupts.watching { (token) throws(MediaError) in
            let player = try Player(registry: registry, configuration: configuration)
            defer { player.close() }
            let subscription = player.events.subscribe { PlayCommand.report($0) }
            defer { subscription.cancel() }
            try player.use(chain)
            let info = try player.open(line.operands[0], cancellation: token)
            if !chain.filters.isEmpty, info.bestStream(.audio) == nil {
                throw MediaError(
                    .noSuchStream,
                    "\(info.url.printable) has no stream of sound for the filters to work on")
            }
            let meter = PlayMeter(player)
            defer { meter.end() }
            try player.waitUntilEnded(cancellation: token)
        }
        return 0
    }

    private static func report(_ event: PlayerEvent) {
        switch event {
        case .filterIgnored(let label, let reasons):
            Log.warning("play", "\(label): \(reasons.joined(separator: "; "))")
        case .formatChanged(let stream, let format):
            Log.info("play", "stream \(stream): \(format)")
        default: break
        }
    }
}

/// Shows the position on a terminal while a player runs.
private final class PlayMeter {
    private let subscription: EventBus<PlayerEvent>.Subscription?

    init(_ player: Player) {
        guard Terminal.canRedraw else {
            subscription = nil
            return
        }
        let duration = player.snapshot.duration.map { " / \($0)" } ?? ""
        subscription = player.events.subscribe { event in
            if case .positionTimer(let position) = event {
                Terminal.writeError("\r\(position)\(duration)\u{1B}[K")
            }
        }
    }

    func end() {
        guard let subscription else { return }
        subscription.cancel()
        Terminal.writeError("\r\u{1B}[K")
    }
}
