// In what order the packets of a file lie in it, as ffprobe reads them.

public import MediaCore

/// The packets of a file in the order of the file.
public struct PacketOrder: Sendable {
    /// The stream of each packet and its time in seconds.
    public var packets: [(stream: Int, time: Double)]

    /// Reads a file.
    public init(of path: String) throws(MediaError) {
        let result = try run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "packet=stream_index,dts_time", "-of",
                "compact=p=0:nk=1", path,
            ])
        packets = result.text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|")
            guard fields.count >= 2, let stream = Int(fields[0]), let time = Double(fields[1])
            else { return nil }
            return (stream, time)
        }
    }

    /// How many seconds a packet lies, at most, behind one of another stream that is later.
    public var worstLag: Double {
        var reached: [Int: Double] = [:]
        var worst = 0.0
        for packet in packets {
            for (stream, time) in reached where stream != packet.stream {
                worst = max(worst, time - packet.time)
            }
            reached[packet.stream] = max(reached[packet.stream] ?? packet.time, packet.time)
        }
        return worst
    }
}
