// The one place where packets of all streams meet and become a file.

package import MediaCore
package import MediaModel

/// Joins the streams of an output, which come from several threads, and writes them.
///
/// Streams keep the order of their lanes. The header waits until each lane is open or closed,
/// because some encoders are known only by their first frame; packets that come before are kept.
/// No lane ever waits for another one here, so that lanes can't block each other.
///
/// Thread-safety: safe.
package final class MuxWriter: @unchecked Sendable {
    // Unchecked: everything below is touched only while `turn` is held.
    private let turn = Monitor(())
    private let muxer: any Muxer
    private let metadata: [MetadataEntry]
    private let chapters: [Chapter]
    private var lanes: [Lane]
    private var hasHeader = false

    private struct Lane {
        var stream: MuxerStream?
        var index: Int?
        var isClosed = false
        var early: [Packet] = []
    }

    /// Makes a writer for so many lanes.
    package init(
        _ muxer: any Muxer, lanes count: Int, metadata: [MetadataEntry], chapters: [Chapter]
    ) {
        self.muxer = muxer
        self.metadata = metadata
        self.chapters = chapters
        lanes = Array(repeating: Lane(), count: count)
    }

    /// Says what the packets of a lane are.
    package func open(_ lane: Int, _ stream: MuxerStream) throws(MediaError) {
        try locked { () throws(MediaError) in
            lanes[lane].stream = stream
            try writeHeaderIfComplete()
        }
    }

    /// Takes the next packet of a lane.
    package func write(_ packet: Packet, lane: Int) throws(MediaError) {
        try locked { () throws(MediaError) in
            if hasHeader, let index = lanes[lane].index {
                try muxer.write(packet, stream: index)
            } else {
                lanes[lane].early.append(packet)
            }
        }
    }

    /// Says that a lane gives nothing more; one that was never open is left out.
    package func close(_ lane: Int) throws(MediaError) {
        try locked { () throws(MediaError) in
            lanes[lane].isClosed = true
            try writeHeaderIfComplete()
        }
    }

    /// Writes what comes at the end, once all lanes are closed.
    package func finish() throws(MediaError) {
        try locked { () throws(MediaError) in
            guard hasHeader else {
                throw MediaError(.outputFailed, "the output would have no streams")
            }
            try muxer.finish()
        }
    }

    private func locked(_ body: () throws(MediaError) -> Void) throws(MediaError) {
        try turn.withLock { (_: inout Void) throws(MediaError) in try body() }
    }

    private func writeHeaderIfComplete() throws(MediaError) {
        guard !hasHeader, lanes.allSatisfy({ $0.stream != nil || $0.isClosed }),
            lanes.contains(where: { $0.stream != nil })
        else { return }
        for lane in lanes.indices {
            if let stream = lanes[lane].stream { lanes[lane].index = try muxer.addStream(stream) }
        }
        try muxer.writeHeader(metadata: metadata, chapters: chapters)
        hasHeader = true
        for lane in lanes.indices {
            let early = lanes[lane].early
            lanes[lane].early = []
            guard let index = lanes[lane].index else { continue }
            for packet in early { try muxer.write(packet, stream: index) }
        }
    }
}
