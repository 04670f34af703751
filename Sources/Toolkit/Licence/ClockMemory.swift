// The latest time that was seen, kept between runs.

internal import MediaCore

/// Remembers the latest time in a small file; nothing depends on whether that can be written.
struct ClockMemory: Sendable {
    /// How far a clock may go back without being called set back: machines with two systems may
    /// take the time of their time zone for UTC until they are corrected.
    static let tolerance: Int64 = 24 * 3600
    /// How much time passes between two writings.
    private static let step: Int64 = 60

    let path: String?
    let files: any FileSystem

    /// The latest time seen; nil where none is known.
    var latest: UTCTime? {
        guard let path, let bytes = try? SmallFile.read(path, limit: 64, files) else { return nil }
        return UTCTime(String(decoding: bytes, as: UTF8.self).trimmedBlanks)
    }

    /// Remembers a time, where it is later.
    func note(_ now: UTCTime) {
        guard let path else { return }
        if let latest, now < latest + ClockMemory.step { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try? files.makeFolder(String(path[..<slash]))
        }
        try? SmallFile.write(Array("\(now)\n".utf8), to: path, files)
    }
}
