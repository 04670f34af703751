// The filters of a player: checked here, changed on the chain's own thread.

internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

extension PlaybackEngine {
    /// Checks a change, keeps it, and hands it to the running chain.
    func apply(_ change: FilterChange) throws(MediaError) {
        switch change {
        case .use(let chain): try use(chain)
        case .add(let spec, let place): try add(spec, at: place)
        case .remove(let label):
            let index = try index(of: label)
            tell(.remove(id: filters.remove(at: index).id))
        case .setEnabled(let label, let isEnabled):
            let index = try index(of: label)
            var changed = filters[index].spec
            changed.isEnabled = isEnabled
            try registry.admit([changed])
            filters[index].spec = changed
            tell(.setEnabled(isEnabled, id: filters[index].id))
        case .update(let label, let values):
            let index = try index(of: label)
            let next = try filters[index].spec.setting(values)
            if case .named(let name, _) = next.body {
                _ = try registry.checkChange(of: name, values)
            }
            if case .raw = next.body { try registry.check(next) }
            filters[index].spec = next
            tell(.update(values, id: filters[index].id))
        }
        share()
    }

    /// What a running chain tells.
    func take(_ event: ChainReportEvent) {
        switch event {
        case .ignored(let id, let spec, let running, let reasons):
            correct(id, tried: spec, running: running)
            post(.filterIgnored(label: spec.title, reasons: reasons))
        case .failed(let id, let spec, let running, let error):
            correct(id, tried: spec, running: running)
            post(.warning("filter \(spec.title): \(error.message)"))
        case .format(let stream, let format):
            post(.formatChanged(stream: stream, format))
        }
    }

    /// Lists what runs in place of what was tried in vain, but for what was asked for since.
    private func correct(_ id: Int, tried: FilterSpec, running: FilterSpec?) {
        guard let index = filters.firstIndex(where: { $0.id == id }) else { return }
        if let running {
            filters[index].spec.body.takeBack(tried.body, for: running.body)
            if filters[index].spec.isEnabled == tried.isEnabled {
                filters[index].spec.isEnabled = running.isEnabled
            }
        } else {
            filters.remove(at: index)
        }
        share()
    }

    private func use(_ chain: FilterChain) throws(MediaError) {
        var labels: Set<String> = []
        for spec in chain.filters {
            try registry.check(spec)
            if let label = spec.label, !labels.insert(label).inserted {
                throw MediaError(.badArgument, "label '\(label)' is used twice")
            }
        }
        try registry.admit(chain.filters)
        let old = filters
        var kept: Set<Int> = []
        var next: [(id: Int, spec: FilterSpec)] = []
        var from = 0
        for spec in chain.filters {
            if let match = old[from...].firstIndex(where: { $0.spec == spec }) {
                kept.insert(old[match].id)
                next.append(old[match])
                from = match + 1
            } else {
                next.append((newFilterID(), spec))
            }
        }
        for (id, _) in old where !kept.contains(id) { tell(.remove(id: id)) }
        filters = next
        var following: Int?
        for (id, spec) in next.reversed() {
            if !kept.contains(id) { tell(.insert(spec, id: id, before: following)) }
            following = id
        }
    }

    private func add(_ spec: FilterSpec, at place: Int?) throws(MediaError) {
        try registry.check(spec)
        if let label = spec.label, filters.contains(where: { $0.spec.label == label }) {
            throw MediaError(.badArgument, "label '\(label)' is taken")
        }
        try registry.admit([spec])
        let index = min(max(0, place ?? filters.count), filters.count)
        let id = newFilterID()
        let before = index < filters.count ? filters[index].id : nil
        filters.insert((id, spec), at: index)
        tell(.insert(spec, id: id, before: before))
    }

    private func newFilterID() -> Int {
        defer { nextFilter += 1 }
        return nextFilter
    }

    private func index(of label: String) throws(MediaError) -> Int {
        let chain = FilterChain(filters.map(\.spec))
        if let index = chain.index(of: label) { return index }
        let hint = Suggestion.sentence(for: label, among: chain.filters.map(\.title))
        throw MediaError(.badArgument, "no filter '\(label)' is in use\(hint)")
    }

    private func tell(_ command: ChainCommand) { session?.chainControl.post(command) }

    private func share() {
        facts.snapshot.withLock { [filters] snapshot in
            snapshot.filters = FilterChain(filters.map(\.spec))
        }
    }
}

extension FilterSpec.Body {
    /// Gives what was tried the values that run instead, where it was not changed again since.
    fileprivate mutating func takeBack(_ tried: Self, for running: Self) {
        guard case .named(let name, var now) = self, case .named(_, let wanted) = tried,
            case .named(name, let left) = running
        else {
            if self == tried { self = running }
            return
        }
        for (option, value) in wanted where now[option] == value { now[option] = left[option] }
        self = .named(name, now)
    }
}
