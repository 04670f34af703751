// Widens each pair of channels, keeping loudness and mono sum.

internal import CDSP
internal import Glibc
internal import MediaCore
internal import MediaModel

/// The kinds of surround effect, by the words of the option `surround_effect_type`.
enum SurroundKind: String, CaseIterable {
    /// Wider by 3.5 dB, with early reflections of the side and a little of the middle in it.
    case surround3D = "3DSurround"
    /// Wider by up to 6 dB, nothing added.
    case wide
    /// Crossfeed: each ear also hears the bass of the other side, as from loudspeakers.
    case headphone

    /// How much the side gains over the middle, as a ratio of energies.
    fileprivate var widening: Double { self == .wide ? 3.98 : 2.24 }
}

/// Treats front, side and back pairs each on its own; all other channels stay as they are.
///
/// The gains of middle and side follow the energies of the last 3 s, so that the loudness stays
/// (within 0.8 dB) and the mono sum loses at most 1.3 dB. No delay.
final class SurroundKernel {
    /// Whether the effect is on; it listens for 30 ms, then fades in within 30 ms, and fades out
    /// within 30 ms.
    var isOn = false

    private var kind: SurroundKind
    private let pairs: [Pair]
    private let pieceLength: Int
    private var position = 0
    private var wet = 0.0
    private var wetStep = 0.0
    // Pieces heard since it was switched on: its memory must be full before it fades in.
    private var heard = 0

    init(_ format: AudioFormat, kind: SurroundKind) throws(MediaError) {
        self.kind = kind
        pieceLength = max(1, format.sampleRate / 100)
        let names = format.layout.channelNames
        var pairs: [Pair] = []
        for (left, right) in [("FL", "FR"), ("SL", "SR"), ("BL", "BR")] {
            guard let l = names.firstIndex(of: left), let r = names.firstIndex(of: right) else {
                continue
            }
            guard let handle = mk_widener_new(Double(format.sampleRate)) else {
                throw MediaError(.filterFailed, "no memory for a surround effect")
            }
            pairs.append(Pair(handle, l, r, kind))
        }
        self.pairs = pairs
    }

    /// Takes another kind; only while nothing of the effect is heard.
    func choose(_ next: SurroundKind) {
        guard next != kind, wet == 0, wetStep == 0 else { return }
        kind = next
        for pair in pairs { pair.choose(kind) }
    }

    func process(_ planes: [UnsafeMutablePointer<Float>], frames: Int) {
        var done = 0
        while done < frames {
            let offset = position % pieceLength
            if offset == 0 { nextPiece() }
            let count = min(pieceLength - offset, frames - done)
            if isOn || wet > 0 || wetStep != 0 {
                for pair in pairs {
                    pair.process(
                        planes.advanced(by: done), frames: count, offset: offset,
                        wet: (wet, wetStep))
                }
            }
            done += count
            position += count
        }
    }

    private func nextPiece() {
        // What the last piece ramped to.
        wet = min(max(wet + wetStep * Double(pieceLength), 0), 1)
        if wet < 0.001 { wet = 0 }
        if wet > 0.999 { wet = 1 }
        if wet == 0, wetStep != 0 { for pair in pairs { pair.rest() } }
        heard = isOn ? heard + 1 : 0
        let isReady = heard > 3 || wet > 0
        let next = isOn && isReady ? min(1, wet + 1.0 / 3) : max(0, wet - 1.0 / 3)
        wetStep = (next - wet) / Double(pieceLength)
        for pair in pairs { pair.nextPiece(length: pieceLength) }
    }

    func reset() {
        position = 0
        // A seek is no reason to fade.
        (wet, wetStep) = (isOn ? 1 : 0, 0)
        for pair in pairs { pair.reset() }
    }
}

/// One pair of channels and its gains.
private final class Pair {
    private let handle: OpaquePointer
    private let left: Int
    private let right: Int
    private var kind: SurroundKind
    // Energies of middle, side, and side with what the effect adds: of this piece, and followed.
    private var sums = [0.0, 0.0, 0.0]
    private var energies = [0.0, 0.0, 0.0]
    private var heard = 0.0
    private var middle = Pair.startingGains.middle
    private var side = Pair.startingGains.side
    private var steps = (middle: 0.0, side: 0.0)

    private static let startingGains = (middle: 0.93, side: 1.3)
    /// The least energy gain of the middle: −1.3 dB.
    private static let leastMiddle = 0.741
    /// The most energy the effect may add: 0.8 dB.
    private static let mostEnergy = 1.2

    init(_ handle: OpaquePointer, _ left: Int, _ right: Int, _ kind: SurroundKind) {
        self.handle = handle
        self.left = left
        self.right = right
        self.kind = kind
    }

    deinit { mk_widener_free(handle) }

    func choose(_ kind: SurroundKind) {
        self.kind = kind
        reset()
    }

    func process(
        _ planes: [UnsafeMutablePointer<Float>], frames: Int, offset: Int,
        wet: (value: Double, step: Double)
    ) {
        let ramp = mk_widener_ramp(
            wet: Float(wet.value), wet_step: Float(wet.step), middle: Float(middle),
            middle_step: Float(steps.middle), side: Float(side), side_step: Float(steps.side))
        if kind == .headphone {
            mk_crossfeed_process(
                handle, planes[left], planes[right], Int32(frames), Int32(offset), ramp)
        } else {
            mk_widener_process(
                handle, kind == .surround3D ? MK_WIDEN_SURROUND : MK_WIDEN_PLAIN, planes[left],
                planes[right], Int32(frames), Int32(offset), ramp, &sums)
        }
    }

    /// Follows the energies and aims the gains of the next piece.
    func nextPiece(length: Int) {
        middle += steps.middle * Double(length)
        side += steps.side * Double(length)
        steps = (0, 0)
        let total = (sums[0] + sums[1]) / Double(length)
        defer { sums = [0, 0, 0] }
        // Silence says nothing (−90 dBFS).
        guard total > 1e-9 else { return }
        heard = min(heard + 1, 300)
        for i in 0..<3 { energies[i] += (sums[i] / Double(length) - energies[i]) / heard }
        let aim = gains(middle: energies[0], side: energies[1], wide: energies[2])
        let pace = heard < 10 ? 0.5 : 0.1
        steps.middle = pace * (aim.middle - middle) / Double(length)
        steps.side = pace * (aim.side - side) / Double(length)
    }

    private func gains(middle m: Double, side s: Double, wide w: Double)
        -> (middle: Double, side: Double)
    {
        var ratio = kind.widening
        let middleGain = min(max((m + s) / (m + ratio * s), Pair.leastMiddle), 1)
        let most = Pair.mostEnergy * (m + s) / middleGain
        if m + ratio * s > most { ratio = max(1, (most - m) / s) }
        let sideGain = w > 0 ? ratio * middleGain * s / w : 1
        return (middleGain.squareRoot(), min(max(sideGain, 1), 4).squareRoot())
    }

    /// Forgets the sound, keeps the gains.
    func rest() { mk_widener_reset(handle) }

    func reset() {
        mk_widener_reset(handle)
        sums = [0, 0, 0]
        energies = [0, 0, 0]
        heard = 0
        middle = Pair.startingGains.middle
        side = Pair.startingGains.side
        steps = (0, 0)
    }
}
