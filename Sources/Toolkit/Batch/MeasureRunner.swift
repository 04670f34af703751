// Measuring the loudness of many files side by side.

internal import Loudness
public import MediaCore
public import MediaModel
internal import Pipeline
internal import Synchronization

/// Measures files by EBU R 128; nothing is written.
///
/// - Threading: `run` blocks; it hands out events on the thread that called it, in order.
public struct MeasureRunner: Sendable {
    private let request: MeasureRequest
    private let registry: PluginRegistry
    private let files: any FileSystem
    private let time: any TimeSource

    /// Prepares; nothing is opened yet.
    public init(
        _ request: MeasureRequest, registry: PluginRegistry,
        files: any FileSystem = SystemFileSystem(), time: any TimeSource = SystemTimeSource()
    ) {
        self.request = request
        self.registry = registry.forRun()
        self.files = files
        self.time = time
    }

    private typealias Measured = (
        figures: LoudnessFigures, blocks: BlockEnergies, warnings: [String]
    )

    /// Measures everything; what goes wrong with one file is in its result.
    public func run(
        cancellation: CancellationToken = CancellationToken(),
        onEvent: (BatchEvent) -> Void = { _ in }
    ) -> MeasureSummary {
        let begin = time.now
        let expansion = InputExpansion(
            request.inputs, extensions: request.extensions, files: files)
        expansion.warn("measure")
        let inputs = expansion.inputs
        onEvent(
            .began(
                files: inputs.count + expansion.failures.count,
                bytes: inputs.reduce(0) { $0 + $1.bytes }))
        let measured = Mutex<[Int: Result<Measured, MediaError>]>([:])
        let pool = WorkerPool(
            jobs: request.jobs, items: inputs.count, cancellation: cancellation, time: time)
        let isAlone = pool.threadCount == 1 && WorkerPool.cores > 1
        var results: [BatchResult] = []
        pool.run(
            ItemQueue(Array(inputs.enumerated())),
            { index, input in
                pool.post(.started(index: index, input: input.path, output: ""))
                let result = measure(input, pool.context(index: index, isAlone: isAlone))
                measured.withLock { $0[index] = result }
                pool.post(.ended(MeasureRunner.event(index, input, result), bytes: input.bytes))
            },
            hear: { event in
                if case .ended(let result, _) = event { results.append(result) }
                onEvent(event)
            })
        let found = measured.withLock { $0 }
        // Behind the last file there is nothing to cancel.
        let isUndone = inputs.indices.contains { index in
            guard case .failure(let error)? = found[index] else { return found[index] == nil }
            return error.code == .cancelled
        }
        var summary = MeasureSummary(
            files: [], isCancelled: cancellation.isCancelled && (inputs.isEmpty || isUndone))
        for (index, input) in inputs.enumerated() {
            let result =
                found[index] ?? .failure(MediaError(.cancelled, "\(input.path): not begun"))
            summary.files.append(
                .init(
                    input: input.path, figures: result.map(\.figures),
                    warnings: (try? result.get().warnings) ?? []))
        }
        for failure in expansion.failures {
            summary.files.append(.init(input: failure.path, figures: .failure(failure.error)))
            let result = BatchResult(
                index: summary.files.count - 1, input: failure.path, output: "", status: .failed,
                error: failure.error)
            results.append(result)
            onEvent(.ended(result, bytes: 0))
        }
        let good = inputs.indices.compactMap { try? found[$0]?.get() }
        if !good.isEmpty {
            summary.album = LoudnessFigures(
                LoudnessMeasurement.group(good.map { ($0.figures.measurement, $0.blocks) }),
                blocks: good.map(\.blocks),
                duration: good.reduce(.zero) { $0 + $1.figures.duration })
        }
        onEvent(
            .finished(
                BatchSummary(
                    results: results.sorted { $0.index < $1.index }, wall: time.now - begin,
                    isCancelled: summary.isCancelled)))
        return summary
    }

    private static func event(
        _ index: Int, _ input: BatchInput, _ result: Result<Measured, MediaError>
    ) -> BatchResult {
        var details = BatchDetails()
        switch result {
        case .success(let measured):
            details.before = measured.figures.measurement
            details.duration = measured.figures.duration
            details.warnings = measured.warnings
            return BatchResult(
                index: index, input: input.path, output: "", status: .done, details: details)
        case .failure(let error):
            return BatchResult(
                index: index, input: input.path, output: "",
                status: error.code == .cancelled ? .cancelled : .failed, error: error)
        }
    }

    private func measure(
        _ input: BatchInput, _ context: ProcessorContext
    ) -> Result<Measured, MediaError> {
        var frames = FrameRequest(url: input.path, chain: request.chain)
        frames.audio = request.audio
        frames.threading = context.isAlone ? .pipelined : .inline
        let meter = ProgrammeMeter()
        do throws(MediaError) {
            let report = try FrameReader(frames, registry: registry, files: files).run(
                cancellation: context.cancellation,
                progress: { context.report($0, $1, from: 0, to: 1) },
                { frame throws(MediaError) in try meter.add(frame) })
            let rate = Int32(clamping: report.format.sampleRate)
            let duration = TimeBase(1, rate).time(ticks: Int64(report.samples))
            let figures = LoudnessFigures(
                meter.measurement, blocks: [meter.blocks], duration: duration)
            return .success((figures, meter.blocks, report.warnings))
        } catch {
            return .failure(error)
        }
    }
}
