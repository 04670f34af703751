// What a script may touch: paths to read and write, hosts, programs.

internal import MediaCore
internal import MediaModel

/// The grants of one script; each is nothing, everything, or what lies below some names.
public struct ScriptPermissions: Sendable {
    /// How far a grant reaches.
    public enum Scope: Hashable, Sendable {
        /// Nowhere.
        case none
        /// These paths and what lies below them, these hosts, these programs.
        case some([String])
        /// Everywhere.
        case all

        /// Reads the value of a command line option: empty for everything, else names with commas.
        public init(option text: String) {
            let names = text.split(separator: ",").map(String.init)
            self = names.isEmpty ? .all : .some(names)
        }
    }

    /// Files and folders that may be read.
    public var read = Scope.none
    /// Files and folders that may be written.
    public var write = Scope.none
    /// Hosts that may be reached.
    public var net = Scope.none
    /// Programs that may be run.
    public var run = Scope.none
    /// Plugin files, or folders of them, that may be loaded.
    ///
    /// Their code runs with the program's own rights, which is more than `isUnsafe` gives a script.
    public var plugins = Scope.none
    /// Whether the whole library of Lua is open and nothing is checked.
    public var isUnsafe = false

    /// Grants nothing.
    public init() {}

    /// The same grants, and reading and writing what is named in `arguments`.
    ///
    /// - Parameter arguments: the script's arguments; those that begin with `-` name no files.
    public func allowing(_ arguments: [String]) -> ScriptPermissions {
        let named = arguments.filter { !$0.hasPrefix("-") && !$0.isEmpty }
        var result = self
        result.read = read.adding(named)
        result.write = write.adding(named)
        return result
    }
}

extension ScriptPermissions.Scope {
    /// The same scope, and these names on top.
    public func adding(_ names: [String]) -> Self {
        switch self {
        case .all: .all
        case .none: names.isEmpty ? .none : .some(names)
        case .some(let known): .some(known + names)
        }
    }
}

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

    /// Lets a path be read, or throws.
    func read(_ path: String) throws(MediaError) {
        if permissions.isUnsafe || permissions.read == .all { return }
        guard isBelow(path, readable) else {
            throw PermissionGuard.refusal("read \(path.printable)", "--allow-read=\(path)")
        }
    }

    /// Lets a path be written, or throws.
    func write(_ path: String) throws(MediaError) {
        if permissions.isUnsafe || permissions.write == .all { return }
        guard isBelow(path, writable) else {
            throw PermissionGuard.refusal("write \(path.printable)", "--allow-write=\(path)")
        }
    }

    /// Lets a plugin file be loaded, or throws.
    func plugin(_ path: String) throws(MediaError) {
        if permissions.isUnsafe || permissions.plugins == .all { return }
        guard isBelow(path, loadable) else {
            throw PermissionGuard.refusal(
                "load the plugin \(path.printable)", "--allow-plugins=\(path)")
        }
    }

    /// Lets a medium be opened: a path, standard input, `synth:` text, or a URL.
    func open(_ url: String) throws(MediaError) {
        if permissions.isUnsafe || url == "-" { return }
        if let text = PermissionGuard.scheme(url) {
            if text == "synth" { return try filters(url) }
            if text == "file" { return try read(try FileURL.path(of: url)) }
            if url.dropFirst(text.count).hasPrefix("://") { return try reach(url, text) }
        }
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

    /// Lets a container be written, or throws where it makes files of its own choice.
    func container(_ name: String?, options: [String: String]) throws(MediaError) {
        if permissions.isUnsafe || permissions.write == .all { return }
        let free: Set<String> = [
            "dash", "fifo", "hls", "image2", "segment", "ssegment", "stream_segment", "tee",
        ]
        if let name, free.contains(name) {
            throw PermissionGuard.refusal("write the container '\(name)'", "--allow-write")
        }
        if !options.isEmpty {
            throw PermissionGuard.refusal("set options of a container", "--allow-write")
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

    /// The scheme of a URL: letters before a colon, at least two.
    private static func scheme(_ url: String) -> String? {
        guard let end = url.firstIndex(of: ":") else { return nil }
        let scheme = url[..<end]
        let isWord = scheme.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-")
        }
        return scheme.utf8.count > 1 && isWord ? scheme.lowercased() : nil
    }

    private static func refusal(_ action: String, _ flag: String) -> MediaError {
        MediaError(
            .scriptFailed, "the script may not \(action); run it with \(flag.printable)")
    }

    private func isBelow(_ path: String, _ roots: [String]) -> Bool {
        let place = PermissionGuard.canonical(path, files)
        return roots.contains { place == $0 || place.hasPrefix($0 == "/" ? "/" : $0 + "/") }
    }

    private static func roots(
        _ scope: ScriptPermissions.Scope, _ files: any FileSystem
    ) -> [String] {
        if case .some(let names) = scope { names.map { canonical($0, files) } } else { [] }
    }

    /// The absolute path with links followed as far as it exists, and without `.` and `..`.
    private static func canonical(_ path: String, _ files: any FileSystem) -> String {
        if let found = try? files.resolve(path) { return found }
        let parts = path.split(separator: "/")
        guard let last = parts.last else { return "/" }
        let isAbsolute = path.hasPrefix("/")
        let above = (isAbsolute ? "/" : "") + parts.dropLast().joined(separator: "/")
        let folder =
            above.isEmpty ? (try? files.resolve(".")) ?? "/" : canonical(above, files)
        if last == "." { return folder }
        if last == ".." {
            let up = folder.split(separator: "/").dropLast().joined(separator: "/")
            return "/" + up
        }
        return folder == "/" ? "/\(last)" : "\(folder)/\(last)"
    }
}
