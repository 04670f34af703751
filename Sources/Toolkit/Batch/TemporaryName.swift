// Names of files that are not finished.

internal import Glibc
internal import MediaCore

/// Hidden names beside the output, so that renaming stays in one folder.
enum TemporaryName {
    private static let longest = 255

    /// `.{name}.mediakit-<process>-<number>.tmp` in the folder of `path`; a long name is cut so
    /// that the whole has at most 255 bytes.
    static func beside(_ path: String, number: Int) -> String {
        let tail = ".mediakit-\(getpid())-\(number).tmp"
        let room = longest - 1 - tail.utf8.count
        var name = PathText.name(of: path)
        while name.osBytes.count > room { name.unicodeScalars.removeLast() }
        return PathText.join(PathText.folder(of: path), "." + name + tail)
    }
}
