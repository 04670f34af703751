// The filter `outputChannel`: only the left or only the right channel.

internal import CDSP
public import MediaCore
public import MediaModel

/// Plays only the left or only the right channel, on both sides.
///
/// - Shape: any layout and rate, planar Float32; the same layout and length out. The front channel
///   that was chosen is heard from front left and right, every other channel is silent. Layouts
///   without a front pair (mono) stay as they are.
/// - Options: `channel` `none` (all as in the source), `left`, `right`; live, within 30 ms.
/// - Latency: none.
public struct OutputChannel: FilterPlugin {
    /// Describes the filter.
    public init() {}

    /// Name and summary.
    public let info = PluginInfo(
        name: "outputChannel", summary: "Plays only the left or only the right channel.")

    /// Its options.
    public let options = [
        OptionSpec(
            "channel", .choice(["none", "left", "right"]), default: .string("none"), live: true,
            "The channel that is heard, from both sides; none leaves all as they are.")
    ]

    /// Makes one with checked options.
    public func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        PlanarFilter(info.name, ChannelKernel(options))
    }
}

/// Mixes the front pair by a matrix that fades to what was chosen.
private final class ChannelKernel: SampleKernel {
    let latency = 0
    private var wanted: [Double]
    private var now: [Double]
    private var steps = [0.0, 0.0, 0.0, 0.0, 0.0]
    private var front: (left: Int, right: Int)?
    private var others: [Int] = []
    private var pieceLength = 480
    private var position = 0

    init(_ options: Options) {
        wanted = ChannelKernel.gains(options)
        now = wanted
    }

    /// Left to left, right to left, left to right, right to right, other channels.
    private static func gains(_ options: Options) -> [Double] {
        switch options.string("channel") {
        case "left": [1, 0, 1, 0, 0]
        case "right": [0, 1, 0, 1, 0]
        default: [1, 0, 0, 1, 1]
        }
    }

    func configure(_ format: AudioFormat) throws(MediaError) {
        let names = format.layout.channelNames
        front = nil
        others = []
        if let left = names.firstIndex(of: "FL"), let right = names.firstIndex(of: "FR") {
            front = (left, right)
            others = names.indices.filter { $0 != left && $0 != right }
        }
        pieceLength = max(1, format.sampleRate / 100)
        reset()
    }

    func process(_ planes: [UnsafeMutablePointer<Float>], frames: Int) {
        guard let front else { return }
        inPieces(of: pieceLength, from: &position, frames: frames) { start, count, offset in
            if offset == 0 { nextPiece() }
            let first = now.map { Float($0) }
            let step = steps.map { Float($0) }
            mk_pcm_matrix(
                planes[front.left] + start, planes[front.right] + start, Int32(count),
                Int32(offset), first, step)
            for channel in others {
                let plane = planes[channel] + start
                mk_pcm_ramp(plane, plane, Int32(count), first[4], step[4], Int32(offset))
            }
        }
    }

    /// Goes a third of the way to what is wanted each 10 ms, and arrives exactly.
    private func nextPiece() {
        for i in now.indices {
            let reached = now[i] + steps[i] * Double(pieceLength)
            now[i] = abs(reached - wanted[i]) < 1e-3 ? wanted[i] : reached
            let distance = wanted[i] - now[i]
            let move = min(max(distance, -1.0 / 3), 1.0 / 3)
            steps[i] = move / Double(pieceLength)
        }
    }

    func update(_ options: Options) -> [String] {
        wanted = ChannelKernel.gains(options)
        return []
    }

    func reset() {
        position = 0
        now = wanted
        steps = [0, 0, 0, 0, 0]
    }
}
