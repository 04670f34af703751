// Whether a script may do what it asks for.

internal import MediaCore
internal import MediaModel

/// Checks what a script does against its grants; a refusal names the flag that would allow it.
///
/// Links are followed before paths are compared. A refusal is `script-failed`, which raises in the
/// script: it asks for a change of the command line, not for handling.
struct PermissionGuard: Sendable {
    let permissions: ScriptPermissions
    let files: any FileSystem
    private let readable: [String]
    private let writable: [String]
    private let loadable: [String]

    init(_ permissions: ScriptPermissions, files: any FileSystem) {
        self.permissions = permissions
        self.files = files
        readable = PermissionGuard.roots(permissions.read, files)
        writable = PermissionGuard.roots(permissions.write, files)
        loadable = PermissionGuard.roots(permissions.plugins, files)
    }

    /// Whether nothing about writing needs a check.
    var writesAnything: Bool { permissions.isUnsafe || permissions.write == .all }

    /// Whether nothing about reading needs a check.
    var readsAnything: Bool { permissions.isUnsafe || permissions.read == .all }

    /// Lets a path be read, or throws.
    func read(_ path: String) throws(MediaError) {
        if readsAnything { return }
        guard try isBelow(path, readable) else {
            throw PermissionGuard.refusal("read \(path.printable)", "--allow-read=\(path)")
        }
    }

    /// Lets a path be written, or throws.
    ///
    /// - Returns: the path with links followed, where that was looked at; it is the one to write to.
    @discardableResult
    func write(_ path: String) throws(MediaError) -> String {
        if writesAnything { return path }
        let place = try PermissionGuard.canonical(path, files)
        guard PermissionGuard.isBelow(place, writable) else {
            throw PermissionGuard.refusal("write \(path.printable)", "--allow-write=\(path)")
        }
        return place
    }

    /// Lets a plugin file be loaded, or throws.
    func plugin(_ path: String) throws(MediaError) {
        if permissions.isUnsafe || permissions.plugins == .all { return }
        guard try isBelow(path, loadable) else {
            throw PermissionGuard.refusal(
                "load the plugin \(path.printable)", "--allow-plugins=\(path)")
        }
    }

    /// Lets a medium be opened: a path, standard input, `synth:` text, or a URL.
    func open(_ url: String) throws(MediaError) {
        if permissions.isUnsafe || url == "-" { return }
        // Told apart as those do who open it: in small letters only.
        if url.hasPrefix("synth:") { return try filters(url) }
        if url.hasPrefix("file:") { return try read(try FileURL.path(of: url)) }
        if let text = PermissionGuard.scheme(url) { return try reach(url, text) }
        try read(url)
    }

    /// Lets a program be run, or throws.
    func run(_ program: String) throws(MediaError) {
        if permissions.isUnsafe || permissions.run == .all { return }
        if case .some(let names) = permissions.run, names.contains(program) { return }
        throw PermissionGuard.refusal("run \(program.printable)", "--allow-run=\(program)")
    }

    /// Lets libavfilter text run, or throws where a filter in it reaches beyond the sound.
    func filters(_ text: String) throws(MediaError) {
        if permissions.isUnsafe { return }
        for (name, reach) in FilterReach.found(in: text) {
            switch reach {
            case .readsFiles where permissions.read == .all: continue
            case .writesFiles where permissions.write == .all: continue
            case .listens where permissions.net == .all: continue
            case .readsFiles:
                throw PermissionGuard.refusal("use the filter '\(name)'", "--allow-read")
            case .writesFiles:
                throw PermissionGuard.refusal("use the filter '\(name)'", "--allow-write")
            case .listens:
                throw PermissionGuard.refusal("use the filter '\(name)'", "--allow-net")
            case .loadsCode:
                throw PermissionGuard.refusal("use the filter '\(name)'", "--unsafe")
            }
        }
    }

    private func reach(_ url: String, _ scheme: String) throws(MediaError) {
        let rest = url.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.split(separator: "@").last ?? ""
        let host = place.hasPrefix("[") ? place.prefix { $0 != "]" } : place.prefix { $0 != ":" }
        switch permissions.net {
        case .all: return
        case .some(let hosts) where hosts.contains(String(host)): return
        default:
            throw PermissionGuard.refusal("reach \(host)", "--allow-net=\(host)")
        }
    }

    /// The scheme of a URL: at least two letters before `://`.
    private static func scheme(_ url: String) -> String? {
        guard let end = url.firstIndex(of: ":"), url[end...].hasPrefix("://") else { return nil }
        let scheme = url[..<end]
        let isWord = scheme.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-")
        }
        return scheme.utf8.count > 1 && isWord ? scheme.lowercased() : nil
    }

    static func refusal(_ action: String, _ flag: String) -> MediaError {
        MediaError(
            .scriptFailed, "the script may not \(action); run it with \(flag.printable)")
    }

    private func isBelow(_ path: String, _ roots: [String]) throws(MediaError) -> Bool {
        PermissionGuard.isBelow(try PermissionGuard.canonical(path, files), roots)
    }

    /// By bytes, as the system compares: two spellings of one letter are two names.
    private static func isBelow(_ place: String, _ roots: [String]) -> Bool {
        roots.contains { root in
            let folder = root == "/" ? root : root + "/"
            return place.utf8.elementsEqual(root.utf8) || place.utf8.starts(with: folder.utf8)
        }
    }

    private static func roots(
        _ scope: ScriptPermissions.Scope, _ files: any FileSystem
    ) -> [String] {
        guard case .some(let names) = scope else { return [] }
        return names.compactMap { name in try? canonical(name, files) }
    }

    /// The absolute path with links followed as far as it exists, and without `.` and `..`.
    ///
    /// - Throws: `bad-argument` for a link that leads nowhere: what is written through it would be
    ///   made where it points to.
    private static func canonical(
        _ path: String, _ files: any FileSystem
    ) throws(MediaError) -> String {
        if let found = try? files.resolve(path) { return found }
        if path.utf8.contains(0) {
            throw MediaError(.badArgument, "\(path.printable): no path has a zero byte in it")
        }
        let parts = path.split(separator: "/")
        guard let last = parts.last else { return "/" }
        let isAbsolute = path.hasPrefix("/")
        let above = (isAbsolute ? "/" : "") + parts.dropLast().joined(separator: "/")
        let folder =
            above.isEmpty ? (try? files.resolve(".")) ?? "/" : try canonical(above, files)
        if last == "." { return folder }
        if last == ".." {
            let up = folder.split(separator: "/").dropLast().joined(separator: "/")
            return "/" + up
        }
        let place = folder == "/" ? "/\(last)" : "\(folder)/\(last)"
        if let found = try? files.resolve(place) { return found }
        if (try? files.linkTarget(of: place)) ?? nil != nil {
            throw MediaError(.badArgument, "\(path.printable): a link that leads nowhere")
        }
        return place
    }
}
