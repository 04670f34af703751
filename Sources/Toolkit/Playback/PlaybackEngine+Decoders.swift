// Which decoder each stream has, and what becomes of a medium that can't be decoded as a whole.

internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

extension PlaybackEngine {
    /// Chooses the streams that play, their output and their decoders, and notes the latter in
    /// `info`.
    ///
    /// A stream that nothing decodes is told by an event and is an error, or is left out where the
    /// configuration says so and something else is left to play; so is one without its licence.
    ///
    /// - Throws: `decoder-not-found`, `not-licensed`, `no-such-stream`, what the output reports.
    func arrange(
        _ session: PlaySession, _ info: inout MediaInfo
    ) throws(MediaError) -> [MediaKind: Int] {
        let isContainer = try registry.sink(named: configuration.sink).container != nil
        var refused: Set<Int> = []
        var refusal: MediaError?
        while true {
            let selected: [MediaKind: Int]
            do {
                selected = try choose(info, without: refused)
            } catch {
                throw refusal ?? error
            }
            // What a container copies needs no decoder, and only its plan tells what it copies.
            if !isContainer, let error = refuse(&info, Array(selected.values), &refused) {
                refusal = refusal ?? error
                guard configuration.skipsUnsupported else { throw error }
                continue
            }
            var playable = info
            playable.streams.removeAll { refused.contains($0.index) || isDisabled($0) }
            let output = try PlayOutput(
                playable, selected: selected, chain: FilterChain(filters.map(\.spec)),
                configuration, registry: registry, files: files, warnings: warnings(of: session),
                cancellation: session.cancellation)
            if isContainer, let error = refuse(&info, output.decodedStreams, &refused) {
                output.abandon()
                refusal = refusal ?? error
                guard configuration.skipsUnsupported else { throw error }
                continue
            }
            session.output = output
            return selected
        }
    }

    /// Whether a stream is of a kind that is not to be played; covers go along with sound.
    private func isDisabled(_ stream: StreamInfo) -> Bool {
        switch stream.kind {
        case .audio: configuration.disablesAudio
        case .video: configuration.disablesVideo && !stream.isAttachedPicture
        case .subtitle, .data, .attachment: false
        }
    }

    /// Finds decoders for streams; those that have none are added to `refused`, and the first such
    /// error is given.
    private func refuse(
        _ info: inout MediaInfo, _ streams: [Int], _ refused: inout Set<Int>
    ) -> MediaError? {
        var first: MediaError?
        for place in info.streams.indices where streams.contains(info.streams[place].index) {
            do throws(MediaError) {
                info.streams[place].decoder = try choice(for: info.streams[place])
            } catch {
                refused.insert(info.streams[place].index)
                first = first ?? error
            }
        }
        return first
    }

    /// The decoder for a stream; where there is none, the event says so.
    func choice(for stream: StreamInfo) throws(MediaError) -> DecoderChoice {
        do {
            let choice = try registry.decoderChoice(for: stream).choice
            try registry.admit(stream)
            return choice
        } catch {
            if error.code == .decoderNotFound {
                Log.info("player", error.message)
                post(
                    .codecNotSupported(
                        stream.kind, stream: stream.index, codec: stream.parameters.codecName,
                        error))
            }
            throw error
        }
    }

    /// Notes which decoder a stream has.
    func note(_ choice: DecoderChoice, stream index: Int) {
        session?.info?.setDecoder(choice, stream: index)
        facts.snapshot.withLock { $0.info?.setDecoder(choice, stream: index) }
    }

    /// A lane has made its decoder, perhaps by another plugin than was expected.
    func decoderMade(_ stream: Int, _ choice: DecoderChoice) {
        let known = session?.info?.streams.first { $0.index == stream }?.decoder
        guard choice != known else { return }
        note(choice, stream: stream)
        post(.decoderChanged(stream: stream, choice))
    }
}

extension MediaInfo {
    fileprivate mutating func setDecoder(_ choice: DecoderChoice, stream index: Int) {
        guard let place = streams.firstIndex(where: { $0.index == index }) else { return }
        streams[place].decoder = choice
    }
}

extension PlayOutput {
    /// The streams that are decoded, by index.
    var decodedStreams: [Int] {
        ends.compactMap { index, end in if case .copied = end { nil } else { index } }
    }
}
