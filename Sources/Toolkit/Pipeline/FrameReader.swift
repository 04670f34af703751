// Decodes and filters one stream of sound for a program that wants its samples.

public import MediaCore
public import MediaModel

/// What a frame reader is asked to read.
public struct FrameRequest: Sendable {
    /// The input.
    public var url: String
    /// Where reading begins; nil for the start.
    public var start: MediaTime?
    /// How much is read; nil for all.
    public var duration: MediaTime?
    /// What the sound passes before it is handed over.
    public var chain: FilterChain
    /// The formats wanted; planar Float32 at any rate and layout unless changed.
    public var accepting = AudioFormatSet(sampleFormats: [.fltp])
    /// Which stream of sound is read.
    public var audio = AudioSelection.best
    /// Whether decoding has a thread of its own beside the caller's.
    public var threading = Threading.pipelined

    /// Describes the work.
    public init(
        url: String, start: MediaTime? = nil, duration: MediaTime? = nil,
        chain: FilterChain = FilterChain()
    ) {
        self.url = url
        self.start = start
        self.duration = duration
        self.chain = chain
    }
}

/// What came of reading.
public struct FrameReport: Sendable {
    /// The input.
    public var input: MediaInfo
    /// The stream that was read.
    public var stream: StreamInfo
    /// The format of the frames handed over.
    public var format: AudioFormat
    /// Samples of each channel handed over.
    public var samples: Int
    /// Damaged packets and timestamps that were mended.
    public var warnings: [String]
    /// Whether a part of the input could not be read: damaged packets, an end before the one that
    /// the header says.
    public var isDamaged: Bool
}

/// Reads the sound of a medium frame by frame.
///
/// Threading: `run` blocks; frames are handed over on the thread that called it, in order.
public struct FrameReader: Sendable {
    private let request: FrameRequest
    private let registry: PluginRegistry
    private let files: any FileSystem

    /// Prepares; nothing is opened yet.
    public init(
        _ request: FrameRequest, registry: PluginRegistry,
        files: any FileSystem = SystemFileSystem()
    ) {
        self.request = request
        self.registry = registry.forRun()
        self.files = files
    }

    /// Reads to the end and hands each frame to `receive`.
    ///
    /// `progress` is called at most ten times a second. Cancelling ends the call within 100 ms.
    ///
    /// - Throws: `no-such-stream` where there is no sound, `cancelled`, whatever the input or
    ///   `receive` reports.
    public func run(
        cancellation: CancellationToken = CancellationToken(),
        progress: @escaping @Sendable (_ position: MediaTime, _ duration: MediaTime?) -> Void = {
            _, _ in
        },
        _ receive: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) -> FrameReport {
        let control = RunControl(cancellation)
        defer { control.end() }
        try control.check()
        try registry.admit(request.chain.filters)
        let course = FrameCourse(
            request: request, registry: registry, files: files, control: control)
        var count = FrameCount(progress: progress)
        let facts: FrameCourse.Facts
        switch request.threading {
        case .inline:
            facts = try course.run(begin: { count.length = $0 }) { frame throws(MediaError) in
                try count.take(frame, receive)
            }
        case .pipelined:
            facts = try readBeside(course, control, &count, receive)
        }
        guard let format = count.format else {
            throw MediaError(
                .badArgument,
                "\(request.url.printable): no sound lies in the part that was asked for")
        }
        return FrameReport(
            input: facts.info, stream: facts.stream, format: format, samples: count.samples,
            warnings: facts.warnings, isDamaged: facts.isDamaged)
    }

    /// Decodes on another thread and takes the frames on this one.
    private func readBeside(
        _ course: FrameCourse, _ control: RunControl, _ count: inout FrameCount,
        _ receive: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) -> FrameCourse.Facts {
        let capacity = 1_000_000_000
        let queue = BoundedQueue<Frame>(
            limit: capacity, wakeLevel: capacity / 4, cost: EncodeStages.cost)
        let facts = Monitor<(facts: FrameCourse.Facts?, length: MediaTime?)>((nil, nil))
        let thread = WorkerThread("mk-read") {
            do throws(MediaError) {
                let result = try course.run(
                    begin: { length in facts.withLock { $0.length = length } },
                    emit: { frame throws(MediaError) in
                        if !queue.push(frame) { throw MediaError(.cancelled, "cancelled") }
                    })
                facts.withLock { $0.facts = result }
                queue.finish()
            } catch {
                control.fail(error)
            }
        }
        control.token.onCancel { queue.close() }
        do {
            while case .element(let frame, _)? = queue.pop() {
                if count.length == nil { count.length = facts.withLock { $0.length } }
                try count.take(frame, receive)
            }
        } catch {
            control.fail(error)
        }
        thread.join()
        try control.check()
        guard let result = facts.withLock({ $0.facts }) else {
            throw MediaError(.cancelled, "cancelled")
        }
        return result
    }
}

/// Counts what is handed over and tells how far it is.
private struct FrameCount {
    var format: AudioFormat?
    var samples = 0
    var length: MediaTime?
    let progress: (MediaTime, MediaTime?) -> Void
    private var nextTick = MediaTime.zero

    init(progress: @escaping (MediaTime, MediaTime?) -> Void) { self.progress = progress }

    mutating func take(
        _ frame: Frame, _ receive: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        if format == nil { format = frame.audioFormat }
        samples += frame.sampleCount
        try receive(frame)
        let now = SystemTimeSource().now
        guard now >= nextTick else { return }
        nextTick = now + .milliseconds(100)
        progress((frame.time ?? .zero) + frame.duration, length)
    }
}
