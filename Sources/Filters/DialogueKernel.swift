// Which channels carry dialogue, and how each is lifted.

internal import CDSP
internal import Glibc
internal import MediaCore
internal import MediaModel

/// Lifts voice over background and delays every other channel alike.
///
/// - Mono: voice against the background it falls back to between words.
/// - Stereo: what stands in the middle, added to both channels alike, so the side stays as it is.
/// - With a centre (5.1, 7.1): the centre like mono; the middle of front left and right like
///   stereo, as far as it is not quieter than a quarter of the centre.
/// - Other layouts: nothing, only the delay.
final class DialogueKernel {
    /// How much dialogue is lifted, 1…10; 0 for not at all.
    var voice = 0.0

    private(set) var latency = 0
    private var single: Lift?
    private var pair: Lift?
    private var others: [DelayLine] = []
    private var pieceLength = 480
    private var position = 0
    // Energies of the centre and of the middle of the front, over about half a second.
    private var centre = 0.0
    private var middle = 0.0
    private var sums = (centre: 0.0, middle: 0.0)

    /// One voice lifter and the channels it works on.
    private final class Lift {
        let handle: OpaquePointer
        let channels: [Int]

        init?(_ channels: [Int], size: Int, rate: Int) {
            guard
                let handle = mk_dialogue_new(Int32(channels.count), Int32(size), Double(rate))
            else { return nil }
            self.handle = handle
            self.channels = channels
        }

        deinit { mk_dialogue_free(handle) }
    }

    /// Gains of voice and background at a strength of 1…10, in dB a step.
    private static let boost = 0.8
    private static let floor = -1.8

    init(_ format: AudioFormat) throws(MediaError) {
        let rate = format.sampleRate
        let size = DialogueKernel.blockSize(rate)
        let names = format.layout.channelNames
        latency = size
        pieceLength = max(1, rate / 100)
        let front = [names.firstIndex(of: "FL"), names.firstIndex(of: "FR")].compactMap { $0 }
        let centre = names.count == 1 ? 0 : names.firstIndex(of: "FC")
        if let centre { single = Lift([centre], size: size, rate: rate) }
        if front.count == 2 { pair = Lift(front, size: size, rate: rate) }
        let lifted = (single?.channels ?? []) + (pair?.channels ?? [])
        let wanted = (centre == nil ? 0 : 1) + (front.count == 2 ? 2 : 0)
        guard lifted.count == wanted else {
            throw MediaError(.filterFailed, "no memory for dialogue enhancement")
        }
        others = names.indices.filter { !lifted.contains($0) }.map {
            DelayLine(channel: $0, frames: size)
        }
    }

    /// The power of two at or under 48 ms.
    static func blockSize(_ rate: Int) -> Int {
        var size = 64
        while size * 2 <= rate * 48 / 1000, size < 16_384 { size *= 2 }
        return size
    }

    /// Takes `frames` frames; leaves as many that are `latency` older, changed in `planes` and
    /// unchanged in `dry`.
    func process(
        _ planes: [UnsafeMutablePointer<Float>], dry: [UnsafeMutablePointer<Float>], frames: Int
    ) {
        for line in others {
            line.process(planes[line.channel], frames: frames)
            dry[line.channel].update(from: planes[line.channel], count: frames)
        }
        var done = 0
        while done < frames {
            let offset = position % pieceLength
            let count = min(pieceLength - offset, frames - done)
            piece(planes.advanced(by: done), dry.advanced(by: done), frames: count)
            done += count
            position += count
            if position % pieceLength == 0 { weigh() }
        }
    }

    private func piece(
        _ planes: [UnsafeMutablePointer<Float>], _ dry: [UnsafeMutablePointer<Float>], frames: Int
    ) {
        if let single, let pair {
            let front = pair.channels.map { planes[$0] }
            sums.centre += mk_pcm_energy(planes[single.channels[0]], Int32(frames))
            sums.middle += mk_pcm_middle_energy(front[0], front[1], Int32(frames))
        }
        for lift in [single, pair].compactMap({ $0 }) {
            let isPhantom = lift === pair && single != nil
            let strength = isPhantom ? voice * phantomShare : voice
            var parts: [UnsafeMutablePointer<Float>?] = lift.channels.map { planes[$0] }
            var unchanged: [UnsafeMutablePointer<Float>?] = lift.channels.map { dry[$0] }
            mk_dialogue_process(
                lift.handle, &parts, &unchanged, Int32(frames),
                Float(pow(10, strength * DialogueKernel.boost / 20)),
                Float(pow(10, strength * DialogueKernel.floor / 20)))
        }
    }

    private var phantomShare: Double {
        let all = middle + 4 * centre
        return all > 0 ? middle / all : 0
    }

    private func weigh() {
        centre += 0.02 * (sums.centre - centre)
        middle += 0.02 * (sums.middle - middle)
        sums = (0, 0)
    }

    func reset() {
        for lift in [single, pair].compactMap({ $0 }) { mk_dialogue_reset(lift.handle) }
        for line in others { line.reset() }
        position = 0
        (centre, middle, sums) = (0, 0, (0, 0))
    }
}

/// Holds one channel back by a constant number of frames.
final class DelayLine {
    let channel: Int
    private var ring: [Float]
    private var at = 0

    init(channel: Int, frames: Int) {
        self.channel = channel
        ring = [Float](repeating: 0, count: max(1, frames))
    }

    func process(_ plane: UnsafeMutablePointer<Float>, frames: Int) {
        var done = 0
        ring.withUnsafeMutableBufferPointer { ring in
            guard let base = ring.baseAddress else { return }
            while done < frames {
                let count = min(ring.count - at, frames - done)
                mk_pcm_exchange(plane + done, base + at, Int32(count))
                done += count
                at = (at + count) % ring.count
            }
        }
    }

    func reset() {
        for i in ring.indices { ring[i] = 0 }
        at = 0
    }
}
