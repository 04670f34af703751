// Standard input, read to its end or line by line.

import Glibc
import Toolkit

enum StandardInput {
    static func makeFile() -> SystemFile {
        SystemFile(owning: 0, path: "standard input", isOutput: false, borrowing: true)
    }

    /// All bytes until the end; `cancelled` at cancellation.
    static func readAll(_ cancellation: CancellationToken) throws(MediaError) -> [UInt8] {
        let file = makeFile()
        var bytes: [UInt8] = []
        while let chunk = try readChunk(file, cancellation) { bytes += chunk }
        return bytes
    }

    /// The next bytes; nil at the end, `cancelled` at cancellation.
    static func readChunk(
        _ file: SystemFile, _ cancellation: CancellationToken
    ) throws(MediaError) -> [UInt8]? {
        var watched = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        while poll(&watched, 1, 100) == 0 { try cancellation.check() }
        try cancellation.check()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var failure: MediaError?
        let count = chunk.withUnsafeMutableBytes { buffer in
            do throws(MediaError) {
                return try file.read(into: buffer)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return count == 0 ? nil : Array(chunk[..<count])
    }
}
