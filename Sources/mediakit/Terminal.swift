// Standard output and standard error, and what they are connected to.

import Glibc
import Toolkit

enum Terminal {
    /// Writes text to standard output; throws where nobody reads it any more.
    static func write(_ text: String) throws(MediaError) {
        try write(bytes: Array(text.utf8))
    }

    /// Writes a JSON value and a newline.
    static func write(_ value: JSON) throws(MediaError) {
        try write(value.pretty + "\n")
    }

    /// Writes text to standard error; failures are of no interest there.
    static func writeError(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
    }

    /// Whether standard error is a terminal that can redraw a line.
    static var canRedraw: Bool {
        isatty(2) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The width of the terminal in columns; 80 where it has none.
    static var columns: Int {
        var size = winsize()
        let status = ioctl(2, UInt(TIOCGWINSZ), &size)
        return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes bytes to standard output; throws where nobody reads it any more.
    static func write(bytes: [UInt8]) throws(MediaError) {
        let file = SystemFile(
            owning: 1, path: "standard output", isOutput: true, borrowing: true)
        var failure: MediaError?
        bytes.withUnsafeBytes { buffer in
            do throws(MediaError) {
                try file.write(buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
