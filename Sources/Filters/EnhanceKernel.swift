// Dialogue, surround and normaliser one behind the other, each with a switch.

internal import CDSP
internal import Loudness
internal import MediaCore
internal import MediaModel

/// The switches and values of an `EnhanceKernel`.
struct EnhanceSettings {
    /// How much dialogue is lifted, 1…10; nil for not at all.
    var voice: Double?
    /// Whether the surround effect is on.
    var isSurroundOn = false
    /// Which effect it is.
    var surroundKind = SurroundKind.surround3D
    /// What loudness is steered to; nil for not at all.
    var loudness: LoudnessTarget?
}

/// Reads settings from checked options.
typealias EnhanceReader = @Sendable (Options) -> EnhanceSettings

/// Runs the parts that a filter has, always with the same delay, so that each can be switched
/// while sound runs without moving it.
///
/// Behind dialogue and surround stands a guard: peaks that they would push over −0.3 dBFS get less
/// of the effect (sound that is over it already is left as it is).
final class EnhanceKernel: SampleKernel {
    /// The parts a kernel may have.
    enum Part {
        case dialogue
        case surround
        case normalizer
    }

    private let parts: Set<Part>
    private let read: EnhanceReader
    private var settings: EnhanceSettings
    private var wasSurroundOn: Bool
    private var dialogue: DialogueKernel?
    private var surround: SurroundKernel?
    private var guarding: Guard?
    private var rider: GainRider?
    private var dry: [[Float]] = []

    private static let chunk = 1024

    init(_ parts: Set<Part>, _ options: Options, _ read: @escaping EnhanceReader) {
        self.parts = parts
        self.read = read
        settings = read(options)
        wasSurroundOn = settings.isSurroundOn
    }

    private(set) var latency = 0

    func configure(_ format: AudioFormat) throws(MediaError) {
        dialogue = parts.contains(.dialogue) ? try DialogueKernel(format) : nil
        surround =
            parts.contains(.surround)
            ? try SurroundKernel(format, kind: settings.surroundKind) : nil
        guarding = dialogue != nil || surround != nil ? try Guard(format) : nil
        rider = nil
        if parts.contains(.normalizer) {
            rider = try GainRider(
                sampleRate: format.sampleRate, layout: format.layout,
                target: settings.loudness ?? LoudnessPreset.podcast.target)
        }
        dry = format.layout.channelNames.map { _ in
            [Float](repeating: 0, count: EnhanceKernel.chunk)
        }
        latency = (dialogue?.latency ?? 0) + (guarding?.latency ?? 0) + (rider?.latency ?? 0)
        apply()
        surround?.reset()
    }

    func process(_ planes: [UnsafeMutablePointer<Float>], frames: Int) {
        var done = 0
        while done < frames {
            let count = min(EnhanceKernel.chunk, frames - done)
            processChunk(planes.advanced(by: done), frames: count)
            done += count
        }
    }

    private func processChunk(_ planes: [UnsafeMutablePointer<Float>], frames: Int) {
        if let guarding {
            withDryPlanes(0, []) { dry in
                if let dialogue {
                    dialogue.process(planes, dry: dry, frames: frames)
                } else {
                    for (plane, copy) in zip(planes, dry) {
                        copy.update(from: plane, count: frames)
                    }
                }
                surround?.process(planes, frames: frames)
                guarding.process(dry: dry, wet: planes, frames: frames)
            }
        }
        rider?.processDelayed(planes, frames: frames)
    }

    private func withDryPlanes(
        _ index: Int, _ planes: [UnsafeMutablePointer<Float>],
        _ body: ([UnsafeMutablePointer<Float>]) -> Void
    ) {
        guard index < dry.count else { return body(planes) }
        // Taken out meanwhile, so that each plane is accessed once at a time.
        var plane: [Float] = []
        swap(&plane, &dry[index])
        plane.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { withDryPlanes(index + 1, planes + [base], body) }
        }
        swap(&plane, &dry[index])
    }

    func update(_ options: Options) -> [String] {
        var wanted = read(options)
        var ignored: [String] = []
        if parts.contains(.surround), wanted.surroundKind != settings.surroundKind, wasSurroundOn {
            ignored.append(
                "surround_effect_type: fixed as '\(settings.surroundKind.rawValue)' when surround "
                    + "was first enabled")
            wanted.surroundKind = settings.surroundKind
        }
        settings = wanted
        wasSurroundOn = wasSurroundOn || settings.isSurroundOn
        apply()
        return ignored
    }

    private func apply() {
        dialogue?.voice = settings.voice ?? 0
        surround?.choose(settings.surroundKind)
        surround?.isOn = settings.isSurroundOn
        if let loudness = settings.loudness { rider?.target = loudness }
        rider?.isActive = settings.loudness != nil
    }

    func reset() {
        dialogue?.reset()
        surround?.reset()
        guarding?.reset()
        rider?.flush()
    }
}

/// Keeps the effects from adding peaks over full scale.
private final class Guard {
    private let handle: OpaquePointer

    /// 2 ms ahead, 20 ms back, −0.3 dBFS.
    init(_ format: AudioFormat) throws(MediaError) {
        let rate = Double(format.sampleRate)
        guard
            let handle = mk_guard_new(
                Int32(format.channelCount), Int32(max(2, rate * 0.002)), 1 / (rate * 0.02), 0.966)
        else { throw MediaError(.filterFailed, "no memory for a guard") }
        self.handle = handle
    }

    deinit { mk_guard_free(handle) }

    var latency: Int { Int(mk_guard_latency(handle)) }

    func process(
        dry: [UnsafeMutablePointer<Float>], wet: [UnsafeMutablePointer<Float>], frames: Int
    ) {
        let unchanged: [UnsafePointer<Float>?] = dry.map { UnsafePointer($0) }
        var changed: [UnsafeMutablePointer<Float>?] = wet
        mk_guard_process(handle, unchanged, &changed, Int32(frames))
    }

    func reset() { mk_guard_reset(handle) }
}
