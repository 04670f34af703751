// Text that C functions write into a buffer.

internal import CFFmpeg
internal import MediaCore

extension String {
    /// What `body` writes into a zero-ended buffer of so many bytes.
    init(capacity: Int, writtenBy body: (UnsafeMutablePointer<CChar>, Int) -> Void) {
        self = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            buffer.initialize(repeating: 0)
            body(start, capacity)
            return String(osCString: start)
        }
    }

    /// Text of FFmpeg's that need not be UTF-8, without loss.
    init(osCString text: UnsafePointer<CChar>) {
        self.init(osBytes: UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}
