// A demuxer of a loaded plugin behind the toolkit's protocol.

internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

/// A plugin's demuxer table as a plugin of the registry.
struct LoadedDemuxerPlugin: DemuxerPlugin, @unchecked Sendable {
    // Unchecked: the table points to constants of the library, which this keeps loaded.
    private let part: LoadedPart
    private let table: mk_demuxer

    var info: PluginInfo { part.info }
    var options: [OptionSpec] { part.options }
    var origin: PluginOrigin? { part.library.origin }

    init(_ pointer: UnsafePointer<mk_demuxer>, _ library: PluginLibrary) throws(MediaError) {
        let table = readStruct(pointer, zero: mk_demuxer())
        part = try LoadedPart(
            "demuxer", name: table.name, summary: table.summary, rank: table.rank,
            options: table.options, count: table.option_count,
            isComplete: table.score != nil && table.open != nil && table.read_packet != nil
                && table.close != nil, library)
        self.table = table
    }

    func score(head: [UInt8], url: String) -> Int { score(head: head, url: url, bytes: nil) }

    func score(head: [UInt8], url: String, bytes: (any DataSource)?) -> Int {
        let memory = PluginMemory()
        let bridge = bytes.map { SourceBridge($0, CancellationToken()) }
        return withExtendedLifetime((memory, bridge)) {
            var probe = mk_probe()
            probe.struct_size = structSize(mk_probe.self)
            probe.head = UnsafePointer(memory.list(head, padding: 64))
            probe.head_size = head.count
            probe.url = memory.text(url)
            probe.io = bridge.map { UnsafePointer($0.io) }
            return Int(min(max(table.score(&probe), 0), 100))
        }
    }

    func open(
        _ bytes: sending any DataSource, url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        try part.library.start()
        return try LoadedDemuxer(
            bytes, url, context.cancellation, table,
            context.registry.options(.demuxer, info.name), part)
    }
}

/// An instance of a plugin's demuxer.
///
/// Packets keep the timestamps of the container. Threading: confined.
final class LoadedDemuxer: MediaSource {
    private(set) var info: MediaInfo
    private let library: PluginLibrary
    private let table: mk_demuxer
    private let title: String
    private let bridge: SourceBridge
    private let cancellation: CancellationToken
    private var instance: UnsafeMutableRawPointer?
    private var selected: Set<Int>?
    private var pending: Packet?

    /// More than any picture has, uncompressed too.
    private static let packetLimit = 1 << 30

    fileprivate init(
        _ bytes: any DataSource, _ url: String, _ cancellation: CancellationToken,
        _ table: mk_demuxer, _ options: Options, _ part: LoadedPart
    ) throws(MediaError) {
        library = part.library
        self.table = table
        self.cancellation = cancellation
        bridge = SourceBridge(bytes, cancellation)
        title = "\(url.printable) with plugin \(library.origin.name)"
        let memory = PluginMemory()
        let values = options.all(part.options)
        var request = mk_demuxer_request(
            struct_size: structSize(mk_demuxer_request.self), reserved: 0,
            io: UnsafePointer(bridge.io), url: memory.text(url),
            values: memory.values(values), value_count: values.count)
        var media: UnsafePointer<mk_media>?
        info = MediaInfo(
            url: url, containerName: "", duration: nil, isSeekable: false, streams: [])
        do throws(MediaError) {
            instance = try part.make(
                "open \(title)", else: .containerMalformed, damage: .containerMalformed
            ) { made in
                withExtendedLifetime(memory) {
                    table.open(PluginHost.table, &request, &made, &media)
                }
            }
        } catch {
            throw try reason(error)
        }
        guard let media else {
            throw MediaError(.containerMalformed, "open \(title): it tells nothing of the medium")
        }
        info = try MediaInfo(
            plugin: media, url: url, size: bytes.length, canSeek: table.seek != nil, title: title)
    }

    deinit { close() }

    func select(_ streams: Set<Int>) {
        selected = streams
        if let packet = pending, !streams.contains(packet.streamIndex) { pending = nil }
        guard let select = table.select, instance != nil else { return }
        let list = streams.sorted().filter(info.streams.indices.contains).map { UInt32($0) }
        list.withUnsafeBufferPointer { select(instance, $0.baseAddress, $0.count) }
    }

    func readPacket() throws(MediaError) -> Packet? {
        if let packet = pending {
            pending = nil
            return packet
        }
        while instance != nil {
            try cancellation.check()
            var raw = mk_packet()
            raw.struct_size = structSize(mk_packet.self)
            raw.pts = noTime
            raw.dts = noTime
            let result: Int32
            do throws(MediaError) {
                result = try PluginHost.call("read \(title)", else: .containerMalformed) {
                    table.read_packet(instance, &raw)
                }
            } catch {
                throw try reason(error)
            }
            if result == Int32(MK_END) { return nil }
            guard result == Int32(MK_OK) else {
                throw PluginHost.failure(result, "read \(title)", else: .containerMalformed)
            }
            let index = Int(raw.stream)
            guard index < info.streams.count, selected?.contains(index) ?? true else { continue }
            guard raw.size <= LoadedDemuxer.packetLimit, raw.data != nil || raw.size == 0 else {
                let place = raw.data == nil ? " at no address" : ""
                throw MediaError(
                    .containerMalformed,
                    "read \(title): it gives a packet of \(raw.size) bytes\(place)")
            }
            let timeBase = info.streams[index].timeBase
            return Packet(
                copying: UnsafeRawBufferPointer(start: raw.data, count: raw.size),
                streamIndex: index, pts: knownTime(raw.pts, timeBase),
                dts: knownTime(raw.dts, timeBase), duration: knownTime(raw.duration, timeBase) ?? 0,
                isKeyframe: raw.flags & UInt32(MK_PACKET_KEY) != 0, timeBase: timeBase)
        }
        return nil
    }

    func seek(to time: MediaTime) throws(MediaError) -> MediaTime {
        guard instance != nil else { throw MediaError(.invalidState, "seek in a closed source") }
        guard info.isSeekable, let seek = table.seek else {
            throw MediaError(.inputFailed, "seek in \(title): the source can't be sought in")
        }
        pending = nil
        let target = (time + info.startTime).nanoseconds
        do throws(MediaError) {
            _ = try PluginHost.call("seek in \(title) to \(time)", else: .inputFailed) {
                seek(instance, target)
            }
        } catch {
            throw try reason(error)
        }
        pending = try readPacket()
        return pending?.time.map { max(.zero, $0 - info.startTime) } ?? info.duration ?? time
    }

    /// What is behind a failure: what the host told the plugin before it, or a cancellation.
    private func reason(_ error: MediaError) throws(MediaError) -> MediaError {
        if let error = bridge.error { return error }
        try cancellation.check()
        return error
    }

    func close() {
        pending = nil
        if let instance { table.close(instance) }
        instance = nil
        bridge.source.close()
    }
}

/// A data source as a plugin's `mk_io`; keeps the Swift error that C can't carry.
private final class SourceBridge {
    let source: any DataSource
    let io: UnsafeMutablePointer<mk_io>
    private let cancellation: CancellationToken
    private(set) var error: MediaError?

    init(_ source: any DataSource, _ cancellation: CancellationToken) {
        self.source = source
        self.cancellation = cancellation
        io = .allocate(capacity: 1)
        io.initialize(to: mk_io())
        io.pointee.struct_size = structSize(mk_io.self)
        io.pointee.is_seekable = source.isSeekable ? 1 : 0
        io.pointee.size = source.length ?? -1
        io.pointee.context = Unmanaged.passUnretained(self).toOpaque()
        io.pointee.read = { context, buffer, size in
            guard let context, let buffer else { return Int64(MK_IO) }
            let bridge = Unmanaged<SourceBridge>.fromOpaque(context).takeUnretainedValue()
            return bridge.read(UnsafeMutableRawBufferPointer(start: buffer, count: size))
        }
        io.pointee.seek = { context, offset in
            guard let context, offset >= 0 else { return Int32(MK_IO) }
            return Unmanaged<SourceBridge>.fromOpaque(context).takeUnretainedValue().seek(offset)
        }
    }

    deinit { io.deallocate() }

    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int64 {
        guard !buffer.isEmpty else { return 0 }
        do throws(MediaError) {
            try cancellation.check()
            return Int64(try source.read(into: buffer))
        } catch {
            return Int64(keep(error))
        }
    }

    private func seek(_ offset: Int64) -> Int32 {
        do throws(MediaError) {
            try source.seek(to: offset)
            return Int32(MK_OK)
        } catch {
            return keep(error)
        }
    }

    private func keep(_ error: MediaError) -> Int32 {
        self.error = self.error ?? error
        return error.code == .cancelled ? Int32(MK_CANCELLED) : Int32(MK_IO)
    }
}

@available(*, unavailable)
extension LoadedDemuxer: Sendable {}
