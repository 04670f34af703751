// Frames into packets, cut to the size the encoder wants.

package import MediaCore
package import MediaModel

/// Encodes the frames of one stream.
///
/// The encoder is made by the first frame, whose format it takes. Sound is cut or joined to the
/// encoder's frame size; a timestamp that would go back is moved to where the last frame ended.
package final class EncodeNode: Node {
    private let make: (Frame) throws(MediaError) -> any Encoder
    private var encoder: (any Encoder)?
    private var frameSize: Int?
    private var queue = SampleQueue()
    private var next: Int64?
    private var isDrained = false

    private let tally: LaneTally?
    private var frames = 0
    private var samples = 0
    private var format: AudioFormat?

    /// Prepares; `make` gets the first frame.
    package init(
        tally: LaneTally? = nil, make: @escaping (Frame) throws(MediaError) -> any Encoder
    ) {
        self.tally = tally
        self.make = make
    }

    package func process(
        _ frame: Frame?, emit: (Packet) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let frame else {
            try drain(emit)
            return
        }
        if encoder == nil {
            let made = try make(frame)
            encoder = made
            frameSize = frame.isAudio ? made.frameSize : nil
            format = frame.audioFormat
        }
        guard let size = frameSize else {
            try encode(frame, emit)
            return
        }
        queue.append(frame)
        while let whole = queue.gather(size) { try encode(whole, emit) }
    }

    /// Drops nothing: what was encoded before a seek and what comes after it are one stream.
    package func flush() {}

    private func drain(_ emit: (Packet) throws(MediaError) -> Void) throws(MediaError) {
        guard let encoder, !isDrained else { return }
        isDrained = true
        if let rest = queue.gather(queue.count) { try encode(rest, emit) }
        try encoder.send(nil)
        try pull(emit)
        tally?.note {
            $0.frames = frames
            $0.samplesOut = samples
            $0.outputFormat = format
            $0.codec = encoder.parameters.codecName
        }
    }

    private func encode(
        _ frame: Frame, _ emit: (Packet) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let encoder else { return }
        var frame = frame
        if frame.isAudio {
            let pts = max(frame.pts ?? next ?? 0, next ?? .min)
            if pts != frame.pts { frame = frame.stamped(pts: pts, timeBase: frame.timeBase) }
            next = pts + Int64(frame.sampleCount)
            samples += frame.sampleCount
        }
        frames += 1
        if let time = frame.time { tally?.position = time + frame.duration }
        try encoder.send(frame)
        try pull(emit)
    }

    private func pull(_ emit: (Packet) throws(MediaError) -> Void) throws(MediaError) {
        guard let encoder else { return }
        while case .value(let packet) = try encoder.receive() { try emit(packet) }
    }
}
