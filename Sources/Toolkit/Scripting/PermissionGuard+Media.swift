// Grants where one name stands for several files: patterns, folders, and media that are written.

internal import Batch
internal import MediaCore
internal import MediaModel
internal import Pipeline

extension PermissionGuard {
    /// Lets the files be read that match a pattern, or throws; folders are left out.
    ///
    /// A pattern that ends with `**` means the files at any depth.
    func glob(_ text: String) throws(MediaError) -> [String] {
        try admit(GlobText(text))
        let isDeep = text.split(separator: "/").last == "**"
        let paths = GlobPattern(isDeep ? text + "/*" : text).matches(in: files)
        // A link may lead out of the folder.
        if !readsAnything { for path in paths { try read(path) } }
        return paths.filter { path in
            ((try? files.facts(of: path)) ?? nil).map { $0.kind != .folder } ?? true
        }
    }

    /// Lets a pattern be looked up, or throws; what it matches is not read yet.
    private func admit(_ pattern: GlobText) throws(MediaError) {
        if readsAnything { return }
        guard !pattern.goesUp else {
            throw PermissionGuard.refusal(
                "read above a wildcard (\(pattern.text.printable))", "--allow-read")
        }
        try read(pattern.folder)
    }

    /// Lets files, folders and patterns be read, with all that is found in them, or throws.
    func inputs(_ inputs: [String], extensions: [String]) throws(MediaError) {
        if permissions.isUnsafe { return }
        for input in inputs {
            let isMedium = input.hasPrefix("synth:")
            if !isMedium, GlobPattern.isPattern(input), try files.facts(of: input) == nil {
                try admit(GlobText(input))
            } else {
                try open(input)
            }
        }
        if readsAnything { return }
        // A link below a folder may lead out of it.
        for input in InputExpansion(inputs, extensions: extensions, files: files).inputs
        where !input.path.hasPrefix("synth:") {
            try read(input.path)
        }
    }

    /// Lets a medium be written, or throws where that reaches beyond its own name.
    ///
    /// - Parameters:
    ///   - settings: encoders and container with their options.
    ///   - path: the output; nil or `-` for standard output.
    ///   - preset: the container where the settings name none.
    func output(
        _ settings: OutputSettings, to path: String?, preset: String? = nil,
        registry: PluginRegistry
    ) throws(MediaError) {
        if writesAnything { return }
        for name in EncoderReach.unknown(in: [settings.audioOptions, settings.videoOptions]) {
            throw PermissionGuard.refusal("set the encoder's option '\(name)'", "--allow-write")
        }
        if !settings.containerOptions.isEmpty {
            throw PermissionGuard.refusal("set options of a container", "--allow-write")
        }
        let place = path.flatMap { $0 == "-" ? nil : $0 }
        let request = MuxerRequest(container: settings.container ?? preset, path: place ?? "-")
        // A name that tells no container is refused where it is written.
        guard let facts = try? registry.muxer().facts(request),
            facts.writesOwnFiles || PermissionGuard.forwarding.contains(facts.name)
        else {
            if let place { try write(place) }
            return
        }
        guard let place, !PermissionGuard.forwarding.contains(facts.name) else {
            throw PermissionGuard.refusal("write the container '\(facts.name)'", "--allow-write")
        }
        // The folder first: one that is granted holds the name too, so no second grant is asked for.
        let folder = place.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
        try write(folder.isEmpty ? (place.hasPrefix("/") ? "/" : ".") : folder)
        try write(place)
    }

    /// Containers whose name or options say where they write.
    private static let forwarding: Set<String> = [
        "dash", "fifo", "hls", "segment", "ssegment", "stream_segment", "tee",
    ]
}

/// Where a pattern leads, before it is looked up.
private struct GlobText {
    let text: String

    init(_ text: String) { self.text = text }

    private var parts: [Substring] { text.split(separator: "/", omittingEmptySubsequences: false) }

    private static func isFixed(_ part: Substring) -> Bool {
        !part.contains { "*?[\\".contains($0) }
    }

    /// The folder that it can't leave, except by `..` or links.
    var folder: String {
        let fixed = parts.prefix(while: GlobText.isFixed).joined(separator: "/")
        return fixed.isEmpty ? (text.hasPrefix("/") ? "/" : ".") : fixed
    }

    /// Whether it names a folder above what its wildcards match.
    var goesUp: Bool { parts.drop(while: GlobText.isFixed).contains("..") }
}
