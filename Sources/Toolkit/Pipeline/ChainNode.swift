// A filter chain at work: made from data, converted between, changed while it runs.

package import MediaCore
package import MediaModel

/// Runs sound through the filters of a chain.
///
/// The chain is made when the first frame shows its format. The last filter is asked for a format
/// that `accepting` allows. When the format changes on the way, what is buffered is drained and the
/// filters are set up again, while the format behind the chain stays what it was.
package final class ChainNode: Node {
    private let registry: PluginRegistry
    private let control: ChainControl?
    private let report: (ChainReport) -> Void
    private let extra: ExtraFilters?
    private let tally: LaneTally?
    private let stop: CancellationToken
    private var accepting: AudioFormatSet
    private var pending: [(id: Int, spec: FilterSpec)]
    private var slots: [FilterSlot] = []
    private var signature: AudioSignature?
    private var isDrained = false

    private var samples = 0
    private var firstFormat: AudioFormat?

    /// Prepares a chain; its filters are numbered from 0.
    ///
    /// `stop` ends a call that is under way.
    package convenience init(
        _ chain: FilterChain, registry: PluginRegistry, accepting: AudioFormatSet,
        extra: ExtraFilters? = nil, tally: LaneTally? = nil, control: ChainControl? = nil,
        stop: CancellationToken = CancellationToken(),
        report: @escaping (ChainReport) -> Void = { _ in }
    ) {
        self.init(
            numbered: chain.filters.enumerated().map { ($0.offset, $0.element) },
            registry: registry, accepting: accepting, extra: extra, tally: tally, control: control,
            stop: stop, report: report)
    }

    /// Prepares a chain whose filters have numbers already.
    package init(
        numbered filters: [(id: Int, spec: FilterSpec)], registry: PluginRegistry,
        accepting: AudioFormatSet,
        extra: ExtraFilters? = nil, tally: LaneTally? = nil, control: ChainControl? = nil,
        stop: CancellationToken = CancellationToken(),
        report: @escaping (ChainReport) -> Void = { _ in }
    ) {
        self.registry = registry
        self.accepting = accepting
        self.extra = extra
        self.tally = tally
        self.control = control
        self.stop = stop
        self.report = report
        pending = filters
    }

    package func process(
        _ frame: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let control {
            for command in control.take() { apply(command) }
        }
        if let frame {
            samples += frame.sampleCount
            if frame.audioSignature != signature || isDrained { try adapt(to: frame, emit) }
        }
        try run(0, frame, emit)
        isDrained = frame == nil
        if isDrained {
            tally?.note {
                $0.samplesIn = samples
                $0.inputFormat = firstFormat
            }
        }
        if control != nil { slots.removeAll { $0.isIdle } }
    }

    package func flush() {
        for slot in slots { slot.flush() }
    }

    /// How much media time the filters hold back at most.
    package var latency: MediaTime { slots.reduce(.zero) { $0 + $1.path.latency } }

    private func run(
        _ index: Int, _ frame: Frame?, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard index < slots.count else {
            if let frame { try emit(frame) }
            return
        }
        try slots[index].process(frame) { next throws(MediaError) in
            try run(index + 1, next, emit)
        }
        if frame == nil { try run(index + 1, nil, emit) }
    }

    // MARK: - Formats

    private func adapt(
        to frame: Frame, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let format = frame.audioFormat else {
            throw MediaError(.filterFailed, "frames of this sample format can't be filtered")
        }
        if signature == nil {
            firstFormat = format
            try build(format)
            reportConversion()
        } else {
            if !isDrained { try run(0, nil, emit) }
            try rebuild(format)
        }
        signature = frame.audioSignature
        let output = slots.last?.output ?? format
        accepting = AudioFormatSet(only: output)
        report(.format(output))
    }

    private func build(_ format: AudioFormat) throws(MediaError) {
        var format = format
        let position = min(max(0, extra?.position ?? 0), pending.count)
        let isExtraLast = extra != nil && position == pending.count
        for (index, (id, spec)) in pending.enumerated() {
            if extra != nil, index == position { try addExtra(&format, isLast: false) }
            let isLast = index == pending.count - 1 && !isExtraLast
            let path = try makePath(
                spec, format, accepting: isLast ? accepting : AudioFormatSet())
            slots.append(FilterSlot(id: id, spec: spec, path: path))
            format = path.output
        }
        if isExtraLast { try addExtra(&format, isLast: true) }
        if slots.isEmpty, !accepting.contains(format) {
            let path = try makePath(nil, format, accepting: accepting)
            slots.append(FilterSlot(id: -1, spec: nil, path: path))
        }
        pending = []
    }

    /// Says where the last filter, or the conversion behind it, gives what it would not by itself.
    private func reportConversion() {
        guard let slot = slots.last else { return }
        let (input, output) = (slot.input, slot.output)
        func isForced(_ format: AudioFormat) -> Bool {
            let takesRate =
                accepting.sampleRates.isEmpty || accepting.sampleRates.contains(format.sampleRate)
            let takesCount =
                accepting.layouts.isEmpty
                || accepting.layouts.contains { $0.channelCount == format.channelCount }
            return format.sampleRate != output.sampleRate && !takesRate
                || format.channelCount != output.channelCount && !takesCount
        }
        guard isForced(input) else { return }
        let free = slot.spec.flatMap { try? makePath($0, input, accepting: AudioFormatSet()) }
        let natural = free?.output ?? input
        if isForced(natural) { report(.converted(from: natural, to: output)) }
    }

    private func addExtra(_ format: inout AudioFormat, isLast: Bool) throws(MediaError) {
        guard let extra else { return }
        let path = try FilterPath(
            try extra.make(), input: format, accepting: isLast ? accepting : AudioFormatSet(),
            makeConverter: makeConverter, stop: stop)
        slots.append(FilterSlot(id: -2, spec: nil, path: path))
        format = path.output
    }

    private func rebuild(_ format: AudioFormat) throws(MediaError) {
        var format = format
        for (index, slot) in slots.enumerated() {
            let isLast = index == slots.count - 1
            try slot.configure(format, accepting: isLast ? accepting : AudioFormatSet())
            format = slot.output
        }
        if slots.isEmpty, !accepting.contains(format) {
            let path = try makePath(nil, format, accepting: accepting)
            slots.append(FilterSlot(id: -1, spec: nil, path: path))
        }
    }

    private var makeConverter: ConverterFactory {
        { [registry] in registry.rawFilters?.makeConverter() }
    }

    /// The way through a filter; past it where it is off or nil.
    private func makePath(
        _ spec: FilterSpec?, _ input: AudioFormat, accepting: AudioFormatSet
    ) throws(MediaError) -> FilterPath {
        var filters: [any AudioFilter] = []
        if let spec, spec.isEnabled { filters.append(try registry.makeFilter(spec)) }
        do {
            return try FilterPath(
                filters, input: input, accepting: accepting, makeConverter: makeConverter,
                stop: stop)
        } catch {
            throw spec.map { error.prefixed($0.title) } ?? error
        }
    }

    // MARK: - Changes

    private func apply(_ command: ChainCommand) {
        if signature == nil {
            prepare(command)
            return
        }
        switch command {
        case .insert(let spec, let id, let before):
            let place = before.flatMap { id in slots.firstIndex { $0.id == id } } ?? slots.count
            insert(spec, id, place)
        case .remove(let id):
            guard let slot = slot(id), let spec = slot.spec else { return }
            exchange(slot, for: nil, blaming: spec)
        case .setEnabled(let isEnabled, let id):
            guard let slot = slot(id), var spec = slot.spec, spec.isEnabled != isEnabled else {
                return
            }
            spec.isEnabled = isEnabled
            exchange(slot, for: spec, blaming: spec)
        case .update(let values, let id):
            if let slot = slot(id) { update(slot, values) }
        }
    }

    /// Before the first frame a change concerns only the data.
    private func prepare(_ command: ChainCommand) {
        switch command {
        case .insert(let spec, let id, let before):
            let place = before.flatMap { id in pending.firstIndex { $0.id == id } }
            pending.insert((id, spec), at: place ?? pending.count)
        case .remove(let id):
            pending.removeAll { $0.id == id }
        case .setEnabled(let isEnabled, let id):
            if let index = pending.firstIndex(where: { $0.id == id }) {
                pending[index].spec.isEnabled = isEnabled
            }
        case .update(let values, let id):
            guard let index = pending.firstIndex(where: { $0.id == id }) else { return }
            let old = pending[index].spec
            do {
                pending[index].spec = try old.setting(values)
            } catch {
                report(.failed(id: id, old, running: old, error))
            }
        }
    }

    private func slot(_ id: Int) -> FilterSlot? { slots.first { $0.id == id } }

    private func insert(_ spec: FilterSpec, _ id: Int, _ place: Int) {
        let format = place > 0 ? slots[place - 1].output : slots.first?.input ?? currentInput
        guard let format else { return }
        do {
            let bypass = try makePath(nil, format, accepting: AudioFormatSet(only: format))
            let slot = FilterSlot(id: id, spec: nil, path: bypass)
            slots.insert(slot, at: place)
            exchange(slot, for: spec, blaming: spec)
        } catch {
            report(.failed(id: id, spec, running: nil, error))
        }
    }

    /// What goes into an empty chain is what comes out of it.
    private var currentInput: AudioFormat? {
        guard let rate = accepting.sampleRates.first, let layout = accepting.layouts.first,
            let sample = accepting.sampleFormats.first
        else { return nil }
        return AudioFormat(sampleRate: rate, layout: layout, sampleFormat: sample)
    }

    private func exchange(_ slot: FilterSlot, for spec: FilterSpec?, blaming: FilterSpec) {
        do {
            let path = try makePath(
                spec, slot.input, accepting: AudioFormatSet(only: slot.output))
            slot.spec = spec
            slot.exchange(for: path)
        } catch {
            report(.failed(id: slot.id, blaming, running: slot.spec, error))
        }
    }

    private func update(_ slot: FilterSlot, _ values: [String: OptionValue]) {
        guard let old = slot.spec else { return }
        var next = old
        do {
            next = try old.setting(values)
            guard old.isEnabled, let filter = slot.filter else {
                slot.spec = next
                return
            }
            switch next.body {
            case .named(let name, _):
                let options =
                    if let specs = filter.runningOptions {
                        try Options(values, specs: specs, owner: name)
                    } else {
                        try registry.checkChange(of: name, values)
                    }
                let answer = try filter.update(options)
                slot.spec = next
                if case .ignored(let reasons) = answer {
                    let kept = next.keeping(old, reasons: reasons)
                    slot.spec = kept
                    report(.ignored(id: slot.id, next, running: kept, reasons))
                }
            case .raw:
                exchange(slot, for: next, blaming: next)
            }
        } catch {
            report(.failed(id: slot.id, next, running: old, error))
        }
    }
}

extension FilterSpec {
    /// The spec with the old values of the options that reasons (`name: why`) are about.
    fileprivate func keeping(_ old: FilterSpec, reasons: [String]) -> FilterSpec {
        guard case .named(let name, var values) = body, case .named(_, let oldValues) = old.body
        else { return self }
        for reason in reasons {
            let option = String(reason.prefix { $0 != ":" })
            values[option] = oldValues[option]
        }
        return FilterSpec(.named(name, values), label: label, isEnabled: isEnabled)
    }
}
