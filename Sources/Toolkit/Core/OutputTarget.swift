// What an output's name leads to, so that nothing but files is ever replaced.

internal import Glibc

/// Where an output goes that is named by a path.
///
/// Everything that is written beside its name and renamed asks here first: renaming over a device,
/// a FIFO or a link would put a file in its place.
public enum OutputTarget: Hashable, Sendable {
    /// A file, every link followed; it may not be there yet.
    case file(String)
    /// A device, a FIFO or a socket: it is written to as it is, and can't be sought in.
    case direct

    /// Looks at what is there.
    ///
    /// - Throws: `output-failed` for a folder, for links in a circle, and what the file system reports.
    public init(_ path: String, _ files: any FileSystem) throws(MediaError) {
        switch try files.facts(of: path)?.kind {
        case .folder: throw .system(EISDIR, "write \(path.printable)", output: true)
        case .other: self = .direct
        case .file:
            self = .file(try files.linkTarget(of: path) == nil ? path : try files.resolve(path))
        case nil:
            self = .file(try OutputTarget.end(of: path, files))
        }
    }

    /// Says that the folder is missing into which files are written by others, which would not tell.
    ///
    /// - Throws: `output-failed` where there is none; names of other protocols, and folders with a
    ///   pattern in their names, are left alone.
    public static func checkFolder(
        of path: String, _ files: any FileSystem
    ) throws(MediaError) {
        guard !path.contains("://"), let slash = path.lastIndex(of: "/"), slash > path.startIndex
        else { return }
        let folder = String(path[..<slash])
        if folder.contains("%") || folder.hasPrefix("file:") { return }
        if try files.facts(of: folder) == nil {
            throw .system(
                ENOENT, "write \(path.printable): folder \(folder.printable)", output: true)
        }
    }

    /// The name that links to nothing lead to.
    private static func end(of path: String, _ files: any FileSystem) throws(MediaError) -> String {
        var place = path
        for _ in 0..<40 {
            guard let target = try files.linkTarget(of: place) else { return place }
            let slash = place.lastIndex(of: "/").map { place.index(after: $0) } ?? place.startIndex
            place = target.hasPrefix("/") ? target : place[..<slash] + target
        }
        throw .system(ELOOP, "write \(path.printable)", output: true)
    }
}
