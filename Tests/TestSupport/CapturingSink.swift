// A sink that keeps what it gets.

public import MediaCore
public import MediaModel

/// Keeps the samples of sound and the times of all frames.
///
/// Thread-safety: safe.
public final class CapturingSink: Sink {
    private struct State {
        var planes: [[Float]] = []
        var rate = 0
        var times: [(stream: Int, time: MediaTime, at: MediaTime)] = []
        var isFinished = false
    }

    private let state = Monitor(State())

    /// Makes a sink that has got nothing yet.
    public init() {}

    /// Keeps a frame; sound must be planar Float32, which the plugin's chain sees to.
    public func write(_ frame: Frame, stream: Int) throws(MediaError) {
        let now = SystemTimeSource().now
        let planes = frame.withFloatPlanes { planes in
            planes.map { Array(UnsafeBufferPointer(start: $0, count: frame.sampleCount)) }
        }
        let rate = frame.sampleRate
        let time = frame.time ?? .zero
        state.withLock { state in
            state.times.append((stream, time, now))
            guard !planes.isEmpty else { return }
            state.rate = rate
            if state.planes.isEmpty { state.planes = planes.map { _ in [] } }
            for (index, plane) in planes.enumerated() where index < state.planes.count {
                state.planes[index] += plane
            }
        }
    }

    /// Notes the end.
    public func finish() throws(MediaError) { state.withLock { $0.isFinished = true } }

    /// All sound so far.
    public var sound: Signal { state.withLock { Signal($0.planes, rate: $0.rate) } }
    /// The stream and time of each frame, and when it came.
    public var times: [(stream: Int, time: MediaTime, at: MediaTime)] {
        state.withLock { $0.times }
    }
    /// Whether everything was written.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Waits until so many frames of sound came; false at the deadline.
    public func wait(samples count: Int, seconds: Double = 10) -> Bool {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(seconds))
        return state.wait(until: deadline) { state in
            (state.planes.first?.count ?? 0) >= count ? true : nil
        } ?? false
    }

    /// Waits until so many frames of any kind came; false at the deadline.
    public func wait(frames count: Int, seconds: Double = 10) -> Bool {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(seconds))
        return state.wait(until: deadline) { $0.times.count >= count ? true : nil } ?? false
    }
}

/// Gives a capturing sink the name `capture`.
public struct CapturingSinkPlugin: SinkPlugin {
    private let sink: CapturingSink

    /// Hands out `sink`.
    public init(_ sink: CapturingSink) { self.sink = sink }

    /// `capture`.
    public var info: PluginInfo { PluginInfo(name: "capture", summary: "Keeps what it gets.") }
    /// None: it takes frames.
    public var container: ContainerPreset? { nil }
    /// The sink.
    public func makeSink(_ options: Options) throws(MediaError) -> any Sink { sink }
}
