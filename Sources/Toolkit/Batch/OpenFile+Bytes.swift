// Whole files and arrays of bytes through an open file.

internal import MediaCore

extension OpenFile {
    /// Writes all of `bytes` at the position.
    func write(bytes: [UInt8]) throws(MediaError) {
        let outcome = bytes.withUnsafeBytes { raw -> Result<Void, MediaError> in
            do throws(MediaError) {
                return .success(try write(raw))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    /// Everything from the start to the end; `check` sees the first bytes before more is read.
    func readAll(
        checking check: ([UInt8]) throws(MediaError) -> Void = { _ throws(MediaError) in }
    ) throws(MediaError) -> [UInt8] {
        try seek(to: 0)
        var bytes: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = try read(into: chunk)
            if count == 0 { return bytes }
            let isFirst = bytes.isEmpty
            bytes.append(contentsOf: chunk[..<count])
            if isFirst { try check(bytes) }
        }
    }
}
