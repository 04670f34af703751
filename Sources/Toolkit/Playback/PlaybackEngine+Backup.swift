// Going over to another URL where pictures can't be decoded, or not fast enough.

internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

extension PlaybackEngine {
    /// How often another URL is asked for after a call of `open`.
    private static let maximumQuestions = 5

    // MARK: - When

    /// Whether the program is asked for another URL, because nothing decodes the pictures of what
    /// was opened, or not without a licence; `opened` is called again where it has none.
    func asksInstead(of info: MediaInfo) -> Bool {
        guard let stream = decodedVideo(of: info) else { return false }
        do throws(MediaError) {
            _ = try registry.decoderChoice(for: stream)
            try registry.admit(stream)
            return false
        } catch {
            return ask(.unsupported(info), error, stream)
        }
    }

    /// The pictures that are to be decoded.
    private func decodedVideo(of info: MediaInfo) -> StreamInfo? {
        guard let sink = try? registry.sink(named: configuration.sink),
            sink.container?.copiesUntouched != true,
            let index = (try? choose(info, without: []))?[.video]
        else { return nil }
        return info.streams.first { $0.index == index }
    }

    /// The decoder of a stream has failed for good.
    func decodingFailed(_ lane: Int, _ error: MediaError) {
        let stream = session?.info?.streams.first { $0.index == lane }
        guard let stream, stream.kind == .video, error.code != .cancelled,
            ask(.failed, error, stream)
        else { return fail(error) }
    }

    /// The clock waits for a lane, or its pictures are late.
    func noteLateness(of index: Int) {
        guard configuration.backupAfterLate > .zero, opening == nil,
            let lane = session?.lanes[index], lane.kind == .video, lane.isBehind
        else { return }
        let now = time.now
        if backup.spell == nil {
            backup.spell = BackupState.Spell(
                stream: index, since: now, position: lane.played, last: now)
        }
        backup.spell?.last = now
    }

    /// When there is something to decide about other URLs.
    var backupDeadline: MediaTime? {
        let spell = backup.spell.map {
            min($0.since + configuration.backupAfterLate, $0.last + BackupState.Spell.rest)
        }
        return [backup.question?.deadline, spell].compactMap { $0 }.min()
    }

    /// Ends what has taken its time: a hook, or pictures.
    func watchBackup() {
        let now = time.now
        if let question = backup.question, now >= question.deadline {
            post(.warning("a \(PlayerHook.backupURL.rawValue) hook did not answer in time"))
            ask(question)
        }
        guard var spell = backup.spell else { return }
        guard let session, let lane = session.lanes[spell.stream], opening == nil,
            snapshot.intent.wantsToPlay
        else {
            backup.spell = nil
            return
        }
        if session.starved.contains(spell.stream) { spell.last = now }
        backup.spell = spell
        let lasted = (now - spell.since).seconds
        if now - spell.last >= BackupState.Spell.rest {
            backup.spell = nil
        } else if lasted >= configuration.backupAfterLate.seconds {
            backup.spell = nil
            let played = (lane.played - spell.position).seconds
            if played < lasted * BackupState.Spell.least {
                late(spell.stream, played: played, of: lasted)
            }
        }
    }

    private func late(_ index: Int, played: Double, of lasted: Double) {
        guard let stream = session?.info?.streams.first(where: { $0.index == index }),
            !backup.asked.contains(backup.url)
        else { return }
        func rounded(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
        let reason = MediaError(
            .timedOut,
            "video stream \(index) (\(stream.parameters.codecName)) is decoded too slowly: "
                + "\(rounded(max(0, played))) s of it in \(rounded(lasted)) s")
        if !ask(.late, reason, stream) {
            backup.asked.insert(backup.url)
            post(.warning(reason.message))
        }
    }

    // MARK: - Asking

    /// Asks for another URL; false where nobody can be asked, or not again.
    private func ask(
        _ cause: BackupState.Cause, _ reason: MediaError, _ stream: StreamInfo
    ) -> Bool {
        if backup.question != nil {
            // Asked because of lateness; now nothing is left to go on with.
            backup.question?.cause = cause
            backup.question?.reason = reason
            return true
        }
        // What was written already can't go on with another medium's frames.
        let isWritten = session?.output?.isContainer == true && session?.hasBegun == true
        guard !isWritten, !backup.asked.contains(backup.url),
            backup.asked.count < PlaybackEngine.maximumQuestions,
            hooks.contains(where: { $0.hook == .backupURL })
        else { return false }
        if let refusal = registry.refusal(ofBackupFor: stream) {
            post(.warning(refusal.message))
            return false
        }
        backup.asked.insert(backup.url)
        opening?.deadline = nil
        ask(
            BackupState.Question(
                cause: cause, reason: reason, codec: stream.parameters.codecName))
        return true
    }

    /// Calls the next handler, or goes on without another URL where there is none.
    private func ask(_ question: BackupState.Question) {
        var question = question
        let next = hooks[question.next...].firstIndex { $0.hook == .backupURL }
        guard let next else {
            backup.question = nil
            switch question.cause {
            case .unsupported(let info): opened(info)
            case .failed: fail(question.reason)
            case .late: post(.warning("\(question.reason.message); there is no other URL"))
            }
            return
        }
        sessions += 1
        let number = sessions
        question.number = number
        question.next = next + 1
        question.deadline = time.now + configuration.hookTimeout
        backup.question = question
        let mailbox = facts.mailbox
        hooks[next].handler(
            HookRequest(
                hook: .backupURL, url: backup.url, error: question.reason, codec: question.codec
            ) { url in mailbox.post(.hookAnswered(number: number, url: url)) })
    }

    /// A hook has answered.
    func backupAnswered(_ url: String?) {
        guard let question = backup.question else { return }
        guard let url else { return ask(question) }
        guard !backup.used.contains(url) else {
            post(.warning("\(url.printable) was tried already and is no other URL"))
            return ask(question)
        }
        backup.question = nil
        goOver(to: url, because: question.reason)
    }

    // MARK: - Going over

    /// Opens another URL and goes on there where playback is.
    private func goOver(to url: String, because reason: MediaError) {
        let position = seeking?.time ?? facts.clock.position
        let from = opening?.backup?.from ?? backup.url
        endSession()
        if opening == nil {
            facts.clock.enter(Epoch(), at: position)
            if state != .buffering { become(.buffering) }
            opening = Opening(reply: Reply(), url: url)
            opening?.start = position
        }
        opening?.url = url
        opening?.attempts = 0
        opening?.backup = (from, reason)
        startSession()
    }

    /// Whether a seek changes where another URL goes on, because that is being opened.
    func goesOver(to time: MediaTime, _ reply: Reply<MediaTime>) -> Bool {
        guard opening?.start != nil else { return false }
        if let old = seeking?.reply {
            answer(
                old, .failure(MediaError(.cancelled, "seek: another one came before it was done")))
        }
        seeking = (max(.zero, time), reply)
        opening?.start = max(.zero, time)
        return true
    }
}
