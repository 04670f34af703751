// Taking paths apart and putting them together, byte by byte.

internal import MediaCore

/// Paths as text: a name may hold any bytes, so only `/` and `.` mean something.
enum PathText {
    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// Everything before the last `/`; empty where there is none, `/` for what lies in the root.
    static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash) else { return "" }
        return end == path.utf8.startIndex ? "/" : String(path[..<end])
    }

    /// Everything behind the last `/`.
    static func name(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash) else { return path }
        return String(path[path.utf8.index(after: end)...])
    }

    /// The name without its extension, and the extension without its dot.
    static func split(name: String) -> (stem: String, extension: String) {
        guard let mark = name.utf8.lastIndex(of: dot), mark != name.utf8.startIndex else {
            return (name, "")
        }
        return (String(name[..<mark]), String(name[name.utf8.index(after: mark)...]))
    }

    /// The extension in lower case, without its dot.
    static func loweredExtension(of path: String) -> String {
        split(name: name(of: path)).extension.lowercased()
    }

    /// A name in a folder; the name alone where the folder is empty.
    static func join(_ folder: String, _ name: String) -> String {
        if folder.isEmpty { return name }
        if name.isEmpty { return folder }
        return folder.utf8.last == slash ? folder + name : folder + "/" + name
    }

    /// The parts between the slashes, without empty ones and `.`.
    static func parts(_ path: String) -> [String] {
        path.utf8.split(separator: slash).map { String(Substring($0)) }.filter { $0 != "." }
    }

    /// The path without `//`, `/./` and a leading `./`; `..` stays, for links may lead anywhere.
    static func tidied(_ path: String) -> String {
        let text = parts(path).joined(separator: "/")
        if path.utf8.first == slash { return "/" + text }
        return text.isEmpty ? "." : text
    }

    /// Whether a path leads into a folder; both without links and `..`.
    static func lies(_ path: String, below folder: String) -> Bool {
        let above = parts(folder).map(PathKey.init)
        return parts(path).map(PathKey.init).starts(with: above)
            && isAbsolute(path) == isAbsolute(folder)
    }

    /// Whether a path begins at the root.
    static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

    /// The folder that holds all of these paths; the working folder where some begin at the root
    /// and some do not.
    static func commonFolder(_ paths: [String]) -> String {
        guard let first = paths.first,
            paths.allSatisfy({ isAbsolute($0) == isAbsolute(first) })
        else { return "" }
        var common = parts(folder(of: first))[...]
        for path in paths.dropFirst() {
            let other = parts(folder(of: path))
            var shared = 0
            while shared < min(common.count, other.count),
                PathKey(common[shared]) == PathKey(other[shared])
            {
                shared += 1
            }
            common = common.prefix(shared)
        }
        let text = common.joined(separator: "/")
        return first.utf8.first == slash ? "/" + text : text
    }
}
