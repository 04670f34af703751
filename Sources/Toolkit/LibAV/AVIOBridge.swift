// Bytes between the toolkit's sources and files and FFmpeg's readers and writers.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// An `AVIOContext` over a data source or an open file.
///
/// C callbacks can't carry a Swift error, so the first one is kept and `check` throws it in place of
/// the number that came through C. Keep the bridge until FFmpeg is done with `context`.
final class AVIOBridge {
    private enum End {
        case source(any DataSource, CancellationToken)
        case file(any OpenFile)
        case written(AVIOBridge)
    }

    private static let bufferSize: Int32 = 128 * 1024

    private let end: End
    private(set) var context: UnsafeMutablePointer<AVIOContext>?
    private var position: Int64 = 0
    private(set) var error: MediaError?
    /// Whether bytes behind the end of the source were asked for; set it back before a look.
    var didReadPastEnd = false

    /// Reads from `source`, whose position is its start; `close` closes it.
    init(reading source: any DataSource, _ cancellation: CancellationToken) {
        end = .source(source, cancellation)
        makeContext(isOutput: false, isSeekable: source.isSeekable)
    }

    /// Writes to `file`, which stays the caller's.
    init(writing file: any OpenFile) {
        end = .file(file)
        makeContext(isOutput: true, isSeekable: file.size != nil)
    }

    /// Reads what `output` has written so far, beside its further writing.
    private init(readingBack output: AVIOBridge) {
        end = .written(output)
        makeContext(isOutput: false, isSeekable: true)
    }

    deinit { close() }

    /// Keeps a muxer from opening anything but its own output for a second look, as for an index in
    /// front of the media; the bridge must outlive the muxer.
    func guardOpening(of muxer: UnsafeMutablePointer<AVFormatContext>) {
        muxer.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        muxer.pointee.io_open = { muxer, io, url, flags, _ in
            guard let muxer, let own = muxer.pointee.url, let url, strcmp(own, url) == 0,
                flags == AVIO_FLAG_READ
            else { return AVResult.notPermitted }
            let output = AVIOBridge.from(muxer.pointee.opaque)
            guard case .file(let file) = output.end, file.size != nil else {
                return AVResult.notPermitted
            }
            let reader = AVIOBridge(readingBack: output)
            io?.pointee = reader.context
            // Given back by `io_close2`.
            _ = Unmanaged.passRetained(reader)
            return 0
        }
        muxer.pointee.io_close2 = { _, io in
            guard let opaque = io?.pointee.opaque else { return 0 }
            Unmanaged<AVIOBridge>.fromOpaque(opaque).takeRetainedValue().close()
            return 0
        }
    }

    private func makeContext(isOutput: Bool, isSeekable: Bool) {
        guard let buffer = av_malloc(Int(AVIOBridge.bufferSize)) else {
            fatalError("out of memory")
        }
        context = mk_avio_alloc(
            buffer.assumingMemoryBound(to: UInt8.self), AVIOBridge.bufferSize, isOutput ? 1 : 0,
            Unmanaged.passUnretained(self).toOpaque(),
            isOutput ? nil : { AVIOBridge.from($0).read($1, $2) },
            isOutput ? { AVIOBridge.from($0).write($1, $2) } : nil,
            isSeekable ? { AVIOBridge.from($0).seek($1, $2) } : nil)
        guard let context else { fatalError("out of memory") }
        context.pointee.seekable = isSeekable ? AVIO_SEEKABLE_NORMAL : 0
        // A file need not see each packet as it comes; a pipe's reader does.
        if isOutput, isSeekable { context.pointee.min_packet_size = AVIOBridge.bufferSize }
    }

    /// Throws the error that a callback kept, once.
    func check() throws(MediaError) {
        guard let kept = error else { return }
        error = nil
        throw kept
    }

    /// Frees the context and closes the source; later calls do nothing.
    func close() {
        guard let context else { return }
        // FFmpeg may have replaced the buffer it was given.
        av_freep(&context.pointee.buffer)
        avio_context_free(&self.context)
        if case .source(let source, _) = end { source.close() }
    }

    private static func from(_ opaque: UnsafeMutableRawPointer?) -> AVIOBridge {
        guard let opaque else { fatalError("an AVIOContext lost its owner") }
        return Unmanaged<AVIOBridge>.fromOpaque(opaque).takeUnretainedValue()
    }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int32) -> Int32 {
        let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: Int(size))
        if case .written(let output) = end { return output.readBack(bytes, &position) }
        guard case .source(let source, let cancellation) = end else { return AVResult.invalid }
        do throws(MediaError) {
            try cancellation.check()
            let count = try source.read(into: bytes)
            guard (0...bytes.count).contains(count) else {
                throw MediaError(
                    .inputFailed,
                    "a source says that it read \(count) bytes where there is room for "
                        + "\(bytes.count)")
            }
            position += Int64(count)
            if count > 0 { return Int32(count) }
            if let length = source.length, position > length { didReadPastEnd = true }
            return AVResult.end
        } catch {
            return keep(error)
        }
    }

    /// Reads at a place of the output and goes back to where writing goes on.
    private func readBack(_ bytes: UnsafeMutableRawBufferPointer, _ place: inout Int64) -> Int32 {
        guard case .file(let file) = end else { return AVResult.invalid }
        do {
            try file.seek(to: place)
            let count = try file.read(into: bytes)
            try file.seek(to: position)
            place += Int64(count)
            return count > 0 ? Int32(count) : AVResult.end
        } catch {
            return keep(error)
        }
    }

    private func write(_ buffer: UnsafePointer<UInt8>?, _ size: Int32) -> Int32 {
        guard case .file(let file) = end else { return AVResult.invalid }
        guard error == nil else { return AVResult.ioFailed }
        do {
            try file.write(UnsafeRawBufferPointer(start: buffer, count: Int(size)))
            position += Int64(size)
            return size
        } catch {
            return keep(error)
        }
    }

    private var writtenSize: Int64? {
        if case .file(let file) = end { file.size } else { nil }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let length: Int64? =
            switch end {
            case .source(let source, _): source.length
            case .file(let file): file.size
            case .written(let output): output.writtenSize
            }
        let target: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return length ?? Int64(AVResult.invalid)
        case SEEK_SET: target = offset
        case SEEK_CUR: target = position + offset
        case SEEK_END: target = (length ?? 0) + offset
        default: return Int64(AVResult.invalid)
        }
        guard target >= 0 else { return Int64(AVResult.invalid) }
        do {
            switch end {
            case .source(let source, _): try source.seek(to: target)
            case .file(let file): try file.seek(to: target)
            case .written: break
            }
            position = target
            return target
        } catch {
            return Int64(keep(error))
        }
    }

    private func keep(_ error: MediaError) -> Int32 {
        if self.error == nil { self.error = error }
        return error.code == .cancelled ? AVResult.stopped : AVResult.ioFailed
    }
}
