// A batch processor that needs no media: it turns bytes round.

package import Batch
package import MediaCore
import Synchronization

/// Writes each input's bytes inverted; an input that begins with `BAD` fails.
package final class FakeProcessor: BatchProcessor {
    private let files: any FileSystem
    private let chunk: Int
    private let onProcess: @Sendable (BatchItem) -> Void
    private let seen = Mutex<[String]>([])

    /// Reads through `files`, in pieces of `chunk` bytes; `onProcess` is called before each file.
    package init(
        files: any FileSystem, chunk: Int = 64,
        onProcess: @escaping @Sendable (BatchItem) -> Void = { _ in }
    ) {
        self.files = files
        self.chunk = chunk
        self.onProcess = onProcess
    }

    /// The inputs worked on so far.
    package var processed: [String] { seen.withLock { $0 } }

    package var recipe: JSON { .string("invert") }

    /// What it makes of `bytes`.
    package static func result(of bytes: [UInt8]) -> [UInt8] { bytes.map { ~$0 } }

    package func process(
        _ item: BatchItem, into file: any OpenFile, at temporary: String,
        _ context: ProcessorContext
    ) throws(MediaError) -> BatchDetails {
        seen.withLock { $0.append(item.input.path) }
        onProcess(item)
        let input = try files.open(item.input.path, .read)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
        defer { buffer.deallocate() }
        var isFirst = true
        while true {
            try context.cancellation.check()
            let count = try input.read(into: buffer)
            if count == 0 { break }
            if isFirst, buffer.prefix(3).elementsEqual("BAD".utf8) {
                throw MediaError(.decodeFailed, "\(item.input.path): bad bytes")
            }
            isFirst = false
            for index in 0..<count { buffer[index] = ~buffer[index] }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        try input.close()
        var details = BatchDetails()
        details.encoder = "invert"
        return details
    }
}
