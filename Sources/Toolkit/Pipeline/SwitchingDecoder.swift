// A decoder that begins on a hardware device and goes on in software where the device fails.

package import MediaCore
package import MediaModel

/// Why a stream is decoded in software though a device was there for it.
package struct SoftwareSwitch: Sendable {
    /// The device that failed last.
    package var device: String
    /// What it failed with, and what was lost on the way.
    package var reason: MediaError
}

/// Decodes pictures on a device until it fails, then in software, without losing a picture.
///
/// It keeps the packets from which the pictures that have not come yet can be made. When the device
/// reports any error, or takes many packets and gives no picture, they are decoded again in
/// software, and pictures that had come out already are left away. One damaged packet is enough for
/// that: only software can tell whether the device or the stream is to blame. It never goes back to
/// the device.
///
/// Threading: confined.
package final class SwitchingDecoder: Decoder {
    /// Packets from a keyframe on that a device may take without giving a picture.
    package static let patience = 128

    private let makeSoftware: (_ showsIncomplete: Bool) throws(MediaError) -> any Decoder
    private let tell: (SoftwareSwitch) -> Void
    private let device: String
    private var hardware: (any Decoder)?
    private var software: (any Decoder)?
    private var history: PacketHistory
    /// Packets that the device had got and software has not; nil for the drain.
    private var backlog: ArraySlice<Packet?> = []
    private var repetition: Repetition?
    /// Packets after the backlog for which pictures that had come may still come again.
    private var grace = 0
    private var isDraining = false
    /// Why there is no decoder at all any more.
    private var failure: MediaError?

    /// Decodes on `device` with `hardware`.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of packets that are kept; beyond, a failure loses pictures.
    ///   - makeSoftware: makes the decoder that takes over; pictures that lack what they refer to
    ///     are wanted where it begins at a keyframe whose own picture has come.
    ///   - tell: is told of the switch, before the first picture in software.
    package init(
        _ hardware: any Decoder, on device: String, limit: Int = 64 << 20,
        makeSoftware: @escaping (_ showsIncomplete: Bool) throws(MediaError) -> any Decoder,
        tell: @escaping (SoftwareSwitch) -> Void
    ) {
        self.hardware = hardware
        self.device = device
        self.makeSoftware = makeSoftware
        self.tell = tell
        history = PacketHistory(limit: limit)
    }

    package func send(_ packet: Packet?) throws(MediaError) {
        guard let hardware else {
            if let failure { throw failure }
            grace -= 1
            if grace <= 0 { repetition = nil }
            try software?.send(packet)
            return
        }
        if let packet { history.append(packet) } else { isDraining = true }
        do throws(MediaError) {
            try hardware.send(packet)
            guard history.unanswered > SwitchingDecoder.patience else { return }
            throw MediaError(
                .timedOut, "no picture came of \(history.unanswered) packets")
        } catch {
            try goOn(after: error)
        }
    }

    package func receive() throws(MediaError) -> Pull<Frame> {
        if let hardware {
            do {
                let answer = try hardware.receive()
                if case .value(let frame) = answer { history.note(frame) }
                return answer
            } catch {
                try goOn(after: error)
            }
        }
        return try receiveFromSoftware()
    }

    package func flush() {
        hardware?.flush()
        software?.flush()
        history.removeAll()
        backlog = []
        repetition = nil
        isDraining = false
    }

    private func receiveFromSoftware() throws(MediaError) -> Pull<Frame> {
        if let failure { throw failure }
        while let software {
            do {
                switch try software.receive() {
                case .value(let frame):
                    if repetition?.covers(frame) == true { continue }
                    return .value(frame)
                case .needsInput:
                    guard let next = backlog.popFirst() else { return .needsInput }
                    try software.send(next)
                case .endOfStream:
                    return .endOfStream
                }
            } catch {
                // A packet whose picture has come is no loss, nor is one before the first whole one.
                guard let repetition, !repetition.isOver, error.code == .decodeFailed else {
                    throw error
                }
            }
        }
        return .endOfStream
    }

    /// Puts software in the device's place.
    private func goOn(after error: MediaError) throws(MediaError) {
        if error.code == .cancelled { throw error }
        hardware = nil
        do {
            software = try makeSoftware(history.hasBegun)
        } catch {
            failure = error
            throw error
        }
        backlog = ArraySlice(history.packets.map(Optional.some))
        if isDraining { backlog.append(nil) }
        repetition = history.filter
        grace = SwitchingDecoder.patience
        let loss =
            history.isBroken
            ? "; pictures up to the next keyframe are lost: the last one is too far back" : ""
        history.removeAll()
        tell(
            SoftwareSwitch(
                device: device,
                reason: MediaError(
                    error.code, "\(device): \(error.message)\(loss)", underlying: error.underlying))
        )
    }
}
