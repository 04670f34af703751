// One compressed unit of a stream.

package import CFFmpeg
public import MediaCore

/// A packet with its timestamps; the bytes are shared and never change.
///
/// Thread-safety: safe to send, because nothing writes to it after it is published.
public final class Packet: @unchecked Sendable {
    package let avPacket: UnsafeMutablePointer<AVPacket>
    /// What one tick of `pts`, `dts` and `duration` lasts.
    public let timeBase: TimeBase

    /// Takes a packet and frees it at the end.
    package init(owning packet: UnsafeMutablePointer<AVPacket>, timeBase: TimeBase) {
        avPacket = packet
        self.timeBase = timeBase
    }

    /// Copies bytes into a packet; timestamps are ticks of `timeBase`, nil where unknown.
    public convenience init(
        copying bytes: UnsafeRawBufferPointer, streamIndex: Int, pts: Int64?, dts: Int64?,
        duration: Int64 = 0, isKeyframe: Bool, timeBase: TimeBase
    ) {
        guard let packet = av_packet_alloc(),
            av_new_packet(packet, Int32(clamping: bytes.count)) == 0
        else { fatalError("out of memory") }
        if let source = bytes.baseAddress, let target = packet.pointee.data {
            UnsafeMutableRawPointer(target).copyMemory(
                from: source, byteCount: Int(packet.pointee.size))
        }
        packet.pointee.stream_index = Int32(clamping: streamIndex)
        packet.pointee.pts = pts ?? mk_av_nopts_value
        packet.pointee.dts = dts ?? mk_av_nopts_value
        packet.pointee.duration = max(0, duration)
        packet.pointee.flags = isKeyframe ? AV_PKT_FLAG_KEY : 0
        self.init(owning: packet, timeBase: timeBase)
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = avPacket
        av_packet_free(&packet)
    }

    /// A second packet on the same bytes, whose timestamps may be changed before it is published.
    package func copy() -> Packet {
        guard let clone = av_packet_clone(avPacket) else { fatalError("out of memory") }
        return Packet(owning: clone, timeBase: timeBase)
    }

    /// Which stream of its source it belongs to.
    public var streamIndex: Int { Int(avPacket.pointee.stream_index) }
    /// When it is shown, in ticks; nil where unknown.
    public var pts: Int64? { known(avPacket.pointee.pts) }
    /// When it is decoded, in ticks; nil where unknown.
    public var dts: Int64? { known(avPacket.pointee.dts) }
    /// How long it lasts, in ticks; 0 where unknown.
    public var duration: Int64 { avPacket.pointee.duration }
    /// The size in bytes.
    public var size: Int { Int(avPacket.pointee.size) }
    /// Whether decoding can begin here.
    public var isKeyframe: Bool { avPacket.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    /// When it is shown, or else decoded, as media time.
    public var time: MediaTime? { (pts ?? dts).map(timeBase.time(ticks:)) }

    /// A packet on the same bytes whose timestamps are later by `ticks`; itself where that is 0.
    public func shifted(by ticks: Int64) -> Packet {
        guard ticks != 0 else { return self }
        let moved = copy()
        if let pts { moved.avPacket.pointee.pts = pts + ticks }
        if let dts { moved.avPacket.pointee.dts = dts + ticks }
        return moved
    }

    /// Calls `body` with the bytes.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: avPacket.pointee.data, count: size))
    }
}

package func known(_ ticks: Int64) -> Int64? { ticks == mk_av_nopts_value ? nil : ticks }
