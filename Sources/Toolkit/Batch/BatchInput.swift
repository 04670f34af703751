// Files, folders and patterns into a list of files.

public import MediaCore

/// One file to work on, and how it was found.
public struct BatchInput: Hashable, Sendable {
    /// Its path, or a `synth:` source.
    public var path: String
    /// The folder below the one that was named in which it was found; empty for named files.
    public var subfolder: String
    /// Whether it was named itself, rather than found in a folder or by a pattern.
    public var isNamed: Bool
    /// The folder that was named, where it was found in one.
    var folder: String?
    /// What was known of it when it was found; nil for `synth:` sources.
    public var facts: FileFacts?

    /// Its size in bytes as far as it is known, for shares of progress.
    var bytes: Int64 { max(0, facts?.size ?? 0) }

    /// Describes a file.
    public init(path: String, subfolder: String = "", isNamed: Bool = true, facts: FileFacts?) {
        self.path = path
        self.subfolder = subfolder
        self.isNamed = isNamed
        self.facts = facts
    }
}

/// What became of the inputs that were named.
public struct InputExpansion: Sendable {
    /// The files, in the order in which they were named; inside folders in the order of their bytes.
    public private(set) var inputs: [BatchInput] = []
    /// What was named and can't be found or read, with the reason.
    public private(set) var failures: [(path: String, error: MediaError)] = []

    /// Folders that were named and hold no media file.
    public private(set) var emptyFolders: [String] = []

    /// What counts as a media file inside a folder, by extension.
    public static let mediaExtensions: [String] = [
        "3gp", "aac", "ac3", "aif", "aiff", "alac", "amr", "ape", "au", "avi", "caf", "dts", "eac3",
        "flac", "flv", "m2ts", "m4a", "m4b", "m4v", "mka", "mkv", "mov", "mp2", "mp3", "mp4", "mpc",
        "mpeg", "mpg", "mts", "mxf", "oga", "ogg", "ogv", "opus", "ra", "ts", "tta", "voc", "w64",
        "wav", "webm", "wma", "wmv", "wv",
    ]

    private let extensions: Set<String>
    private let files: any FileSystem
    private var seen: Set<PathKey> = []
    // Media files met in folders, doubles too.
    private var found = 0

    /// Looks up `names`: files are taken as they are, folders with everything below them that has
    /// one of `extensions`, patterns (`*.wav`, `**/*.flac`) with what they match.
    ///
    /// A folder that is named may be a link; folders below it that are links are not entered.
    ///
    /// A name that is both a file and a pattern is the file. Hidden files and folders inside
    /// folders are left out. Nothing is taken twice.
    public init(
        _ names: [String], extensions: [String] = mediaExtensions, files: any FileSystem
    ) {
        self.extensions = Set(extensions.map { $0.lowercased() })
        self.files = files
        for name in names { take(name) }
    }

    private mutating func take(_ name: String) {
        if name.hasPrefix("synth:") {
            add(BatchInput(path: name, facts: nil))
            return
        }
        do {
            if let facts = try files.facts(of: name) {
                take(name, facts, isNamed: true)
            } else if GlobPattern.isPattern(name) {
                let paths = GlobPattern(name).matches(in: files)
                if paths.isEmpty {
                    fail(name, MediaError(.notFound, "\(name.printable): no file matches"))
                }
                for path in paths {
                    if let facts = try files.facts(of: path) { take(path, facts, isNamed: false) }
                }
            } else {
                fail(name, MediaError(.notFound, "open \(name.printable): no such file"))
            }
        } catch {
            fail(name, error)
        }
    }

    private mutating func take(_ path: String, _ facts: FileFacts, isNamed: Bool) {
        if facts.kind == .folder {
            do {
                let before = (found, failures.count)
                try descend(path, "", at: files.resolve(path))
                if (found, failures.count) == before { emptyFolders.append(path) }
            } catch {
                fail(path, error)
            }
        } else {
            add(BatchInput(path: path, isNamed: isNamed, facts: facts))
        }
    }

    /// Takes what lies below a folder; `place` is its path without links.
    private mutating func descend(_ root: String, _ below: String, at place: String) {
        let folder = PathText.join(root, below)
        do {
            for name in try files.list(folder) where !name.hasPrefix(".") {
                let path = PathText.join(folder, name)
                guard let facts = try files.facts(of: path) else { continue }
                if facts.kind == .folder {
                    // A link may lead anywhere, back to a folder above too.
                    let inner = PathText.join(place, name)
                    guard try files.resolve(path) == inner else { continue }
                    descend(root, PathText.join(below, name), at: inner)
                } else if facts.kind == .file,
                    extensions.contains(PathText.loweredExtension(of: name))
                {
                    var input = BatchInput(
                        path: path, subfolder: below, isNamed: false, facts: facts)
                    input.folder = root
                    found += 1
                    add(input)
                }
            }
        } catch {
            fail(folder, error)
        }
    }

    /// Says on the log which folders hold nothing.
    func warn(_ category: String) {
        for folder in emptyFolders {
            Log.warning(category, "\(folder.printable): no media file in this folder")
        }
    }

    private mutating func add(_ input: BatchInput) {
        if seen.insert(PathKey(PathText.tidied(input.path))).inserted { inputs.append(input) }
    }

    private mutating func fail(_ path: String, _ error: MediaError) {
        if seen.insert(PathKey(path)).inserted { failures.append((path, error)) }
    }
}
