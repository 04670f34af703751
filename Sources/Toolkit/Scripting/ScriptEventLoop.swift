// The loop in which a script waits: messages, timers, callbacks.

internal import LuaRuntime
internal import MediaCore
internal import Playback

extension ScriptContext {
    /// Runs callbacks until `isDone` holds; false when `deadline` came first, and what had been said
    /// by then has been heard.
    ///
    /// May be entered again from a callback; messages keep their order.
    ///
    /// - Throws: `cancelled` once the script is to end.
    func pump(
        until deadline: MediaTime? = nil, _ isDone: () -> Bool
    ) throws(MediaError) -> Bool {
        var isLate = false
        while true {
            if state.stop != nil { throw MediaError(.cancelled, "the script is to end") }
            if isDone() { return true }
            fireTimers()
            if pending.isEmpty {
                if state.stop == nil, isDone() { return true }
                if isLate { return false }
                if let deadline { isLate = clock.now >= deadline }
                pending = mailbox.receive(until: isLate ? .zero : nextWake(deadline))
            }
            if !pending.isEmpty { dispatch(pending.removeFirst()) }
        }
    }

    /// Whether anything can still call the script back.
    var hasWork: Bool {
        timers.contains { $0.due != nil } || jobs.values.contains { $0.outcome == nil }
            || !pending.isEmpty || players.values.contains { $0.isActive }
    }

    /// Runs the callbacks of everything that players have said up to now.
    ///
    /// A player's state is seen before its events have come. A new observation is answered by the
    /// engine in order, so its first value marks the end of what was said; a second one follows
    /// the observers' turn.
    func settle() throws(MediaError) {
        for _ in 0..<2 {
            var observations: [PlayerObservation] = []
            for player in players.values where !player.isClosed {
                let (mark, mailbox) = (number(), mailbox)
                marks.insert(mark)
                observations.append(
                    try player.player.observe("paused") { _ in mailbox.post(.mark(mark)) })
            }
            defer { for observation in observations { observation.cancel() } }
            let deadline = clock.now + MediaTime(seconds: 10)
            _ = try pump(until: deadline) { marks.isEmpty }
            marks = []
        }
        // Without a player too, something may have been said: of premium features, say.
        if pending.isEmpty { pending = mailbox.receive(until: .zero) }
    }

    private func nextWake(_ deadline: MediaTime?) -> MediaTime? {
        if state.stop != nil { return .zero }
        return ([deadline] + timers.map(\.due)).compactMap { $0 }.min()
    }

    private func fireTimers() {
        let now = clock.now
        let due = timers.filter { $0.due.map { $0 <= now } ?? false }
        for timer in due.sorted(by: { ($0.due ?? now) < ($1.due ?? now) }) {
            // An earlier one may have stopped it, or waited for so long that it has fired.
            guard state.stop == nil, let moment = timer.due, moment <= now else { continue }
            timer.advance(clock.now)
            invoke(timer.callback) { _ in 0 }
        }
        timers.removeAll { $0.isKilled || (!$0.repeats && $0.due == nil) }
    }

    private func dispatch(_ message: ScriptMessage) {
        switch message {
        case .wake: break
        case .event(let player, let event): players[player]?.receive(event, self)
        case .mark(let number): marks.remove(number)
        case .property(let number): observations[number]?.deliver(self)
        case .hook(let player, let handler, let request):
            guard let player = players[player] else { return request.proceed() }
            player.meet(request, handler: handler, self)
        case .news(let number, let news):
            guard let callback = jobs[number]?.newsCallback else { return }
            invoke(callback) { stack in
                LuaValue(facts: news).push(to: stack)
                return 1
            }
        case .ended(let number, let outcome): end(job: number, outcome)
        case .premium(let verdict): tell(verdict)
        case .line(let text, let answer): evaluate(text, answer)
        case .quit(let answer):
            quit(0)
            answer.give(.ended(exitStatus ?? 0))
        }
    }

    private func end(job number: Int, _ outcome: JobOutcome) {
        guard let job = jobs.removeValue(forKey: number) else { return }
        job.outcome = outcome
        guard let callback = job.callback else { return }
        invoke(callback) { outcome.pushResults(to: $0) }
    }
}
