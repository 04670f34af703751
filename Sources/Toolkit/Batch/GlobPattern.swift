// File name patterns: `*`, `?`, `[a-z]` and `**`.

public import MediaCore

/// A pattern of paths, as shells write it.
///
/// `*` stands for any run of letters in a name, `?` for one, `[a-z]` and `[!a-z]` for one of a set,
/// a part `**` for any number of folders; `\` takes the next letter as it is. Names that begin with
/// a dot match only where the pattern writes the dot.
public struct GlobPattern: Sendable {
    private let parts: [[Unicode.Scalar]]
    private let isAbsolute: Bool

    /// Reads a pattern; every text is one.
    public init(_ text: String) {
        parts = PathText.parts(text).map { Array($0.unicodeScalars) }
        isAbsolute = text.utf8.first == UInt8(ascii: "/")
    }

    /// Whether a text means more than one path.
    public static func isPattern(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0 == "*" || $0 == "?" || $0 == "[" }
    }

    /// The paths that match, in the order of their bytes, folder by folder.
    ///
    /// Folders that can't be read hold no match. Links are followed where a part of the pattern names
    /// them, but not by `**`.
    public func matches(in files: any FileSystem) -> [String] {
        var found: [String] = []
        var seen: Set<PathKey> = []
        walk(isAbsolute ? "/" : "", parts[...], files) { path in
            if seen.insert(PathKey(path)).inserted { found.append(path) }
        }
        return found
    }

    private func walk(
        _ folder: String, _ rest: ArraySlice<[Unicode.Scalar]>, _ files: any FileSystem,
        _ give: (String) -> Void
    ) {
        guard let part = rest.first else {
            if !folder.isEmpty { give(folder) }
            return
        }
        let after = rest.dropFirst()
        if part == ["*", "*"] {
            walk(folder, after, files, give)
            for name in subfolders(of: folder, files) {
                walk(PathText.join(folder, name), rest, files, give)
            }
            return
        }
        if !part.contains(where: { "*?[\\".unicodeScalars.contains($0) }) {
            let path = PathText.join(folder, GlobPattern.text(part))
            if (try? files.facts(of: path)) ?? nil != nil { walk(path, after, files, give) }
            return
        }
        let names = (try? files.list(folder.isEmpty ? "." : folder)) ?? []
        for name in names where GlobPattern.matches(Array(name.unicodeScalars)[...], part[...]) {
            if name.hasPrefix("."), part.first != ".", part.prefix(2) != ["\\", "."] { continue }
            walk(PathText.join(folder, name), after, files, give)
        }
    }

    /// The folders in a folder that are no links and not hidden.
    private func subfolders(of folder: String, _ files: any FileSystem) -> [String] {
        let here = folder.isEmpty ? "." : folder
        guard let names = try? files.list(here), let place = try? files.resolve(here) else {
            return []
        }
        return names.filter { name in
            let path = PathText.join(folder, name)
            guard !name.hasPrefix("."), let facts = try? files.facts(of: path) else { return false }
            return facts.kind == .folder
                && (try? files.resolve(path)) == PathText.join(place, name)
        }
    }

    private static func text(_ part: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: part)
        return String(view)
    }

    /// Whether one name matches one part of a pattern.
    static func matches(
        _ name: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        var name = name
        var pattern = pattern
        // Where to go on when the last `*` must take one letter more.
        var retry: (name: ArraySlice<Unicode.Scalar>, pattern: ArraySlice<Unicode.Scalar>)?
        while true {
            if pattern.first == "*" {
                pattern = pattern.dropFirst()
                retry = (name, pattern)
                continue
            }
            if name.isEmpty, pattern.isEmpty { return true }
            if let letter = name.first, let rest = step(letter, pattern) {
                name = name.dropFirst()
                pattern = rest
                continue
            }
            guard let last = retry, !last.name.isEmpty else { return false }
            name = last.name.dropFirst()
            pattern = last.pattern
            retry = (name, pattern)
        }
    }

    /// The pattern behind its first element where that takes the letter.
    private static func step(
        _ letter: Unicode.Scalar, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> ArraySlice<Unicode.Scalar>? {
        switch pattern.first {
        case nil: return nil
        case "?": return pattern.dropFirst()
        case "\\" where pattern.count > 1:
            let rest = pattern.dropFirst()
            return rest.first == letter ? rest.dropFirst() : nil
        case "[":
            if let (isIn, rest) = set(letter, pattern.dropFirst()) { return isIn ? rest : nil }
            return letter == "[" ? pattern.dropFirst() : nil
        case let other: return other == letter ? pattern.dropFirst() : nil
        }
    }

    /// Whether a `[set]` holds the letter, and what follows it; nil where the set is never closed.
    private static func set(
        _ letter: Unicode.Scalar, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> (Bool, ArraySlice<Unicode.Scalar>)? {
        var rest = pattern
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest = rest.dropFirst() }
        var isIn = false
        var isFirst = true
        while let low = rest.first, low != "]" || isFirst {
            isFirst = false
            rest = rest.dropFirst()
            var high = low
            if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                high = end
                rest = rest.dropFirst(2)
            }
            if low <= letter, letter <= high { isIn = true }
        }
        return rest.first == "]" ? (isIn != isNegated, rest.dropFirst()) : nil
    }
}
