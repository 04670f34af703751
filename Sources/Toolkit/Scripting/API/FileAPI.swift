// Files and programs, behind the script's grants.

internal import Batch
internal import LuaRuntime
internal import MediaCore
internal import Pipeline

extension ScriptAPI {
    static let files: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            "glob",
            "Lists the files that match a pattern (`*`, `?`, `[a-z]`, and `**` for any number of "
                + "folders: `music/**` is every file below `music`). Folders are left out, and so "
                + "are names that begin with a dot, unless the pattern writes it.",
            Param<String>("pattern", "The pattern; relative to the working folder."),
            returns: [LuaParameter("paths", type: "string[]", "The paths, in order.")],
            example: """
                for _, path in ipairs(mk.glob("**/*.flac")) do print(path) end
                """
        ) { (context, pattern) throws(MediaError) in
            try context.setting.permissions.glob(pattern)
        },
        LuaFunction(
            "file_info", "Tells what is known of a file or folder.",
            Param<String>("path", "The path."),
            returns: [
                LuaParameter("info", type: "mk.FileInfo?", "The facts; nil where nothing is.")
            ],
            fails: [.permissionDenied, .inputFailed],
            example: """
                local info = mk.file_info(".")
                assert(info.kind == "folder")
                """
        ) { (context, path) throws(MediaError) in
            try context.setting.permissions.read(path)
            return try context.setting.files.facts(of: path).map { FileInfo($0) }
        },
        LuaFunction(
            "read_file", "Reads a whole file.", Param<String>("path", "The path."),
            returns: [LuaParameter("text", type: "string", "Its bytes.")],
            fails: [.notFound, .permissionDenied, .inputFailed],
            example: """
                assert(mk.write_file("note.txt", "hello"))
                assert(mk.read_file("note.txt") == "hello")
                """
        ) { (context, path) throws(MediaError) in
            try context.setting.permissions.read(path)
            // A pipe would hold the script up where nothing can stop it.
            let facts = try context.setting.files.facts(of: path)
            guard facts?.kind != .other else {
                throw MediaError(.inputFailed, "read \(path.printable): not a file")
            }
            let limit = context.state.limits.memory
            return FileText(
                bytes: try FileText.read(path, limit: limit, context.setting.files))
        },
        LuaFunction(
            "write_file", "Writes a whole file, replacing what is there.",
            Param<String>("path", "The path."), Param<String>("text", "Its bytes."),
            returns: LuaDone.described, fails: [.outputFailed, .diskFull],
            example: "assert(mk.write_file(\"note.txt\", \"hello\"))"
        ) { (context, path, text) throws(MediaError) in
            let place = try context.setting.permissions.write(path)
            try FileText.write(text.osBytes, to: place, context.setting.files)
            return LuaDone()
        },
        LuaFunction(
            "execute", "Runs a program and waits for its end; needs `--allow-run`.",
            Param<String>("program", "Its name, looked up in PATH, or its path."),
            Param<[String]?>("arguments", "Its arguments; no shell reads them."),
            returns: [LuaParameter("result", type: "mk.ProgramResult", "What it did.")],
            fails: [.badArgument, .notFound, .permissionDenied, .cancelled], waits: true,
            example: """
                local result = assert(mk.execute("echo", { "hello" }))
                assert(result.status == 0 and result.output == "hello\\n")
                """
        ) { (context, program, arguments) throws(MediaError) in
            try context.setting.permissions.run(program)
            let limit = context.state.limits.memory
            let job = context.start("execute \(program.printable)") {
                (token, _) throws(MediaError) in
                ChildProgram(
                    try ProgramRun.run(
                        program, arguments ?? [], outputLimit: limit, cancellation: token))
            }
            return try context.finish(job)
        },
    ]
}

/// What `mk.file_info` gives.
struct FileInfo: LuaFacts, Sendable {
    let kind: String
    let size: Int
    let modified: Double

    init(_ facts: FileFacts) {
        kind =
            switch facts.kind {
            case .file: "file"
            case .folder: "folder"
            case .other: "other"
            }
        size = Int(facts.size)
        modified = Double(facts.modified) / 1e9
    }

    static let luaName = "mk.FileInfo"
    static let luaSummary = "What is known of a file without reading it."
    static let luaFields: [LuaFact<FileInfo>] = [
        LuaFact("kind", \.kind, "`file`, `folder` or `other`."),
        LuaFact("size", \.size, "The size in bytes."),
        LuaFact("modified", \.modified, "When it was last written, in seconds since 1970."),
    ]
}

/// The contents of a file as a result.
struct FileText: LuaPushable, Sendable {
    static let luaType = "string"
    let bytes: [UInt8]

    func push(to stack: LuaStack) { stack.push(bytes: bytes) }

    /// All bytes of a file, if they are no more than `limit`.
    static func read(
        _ path: String, limit: Int, _ files: any FileSystem
    ) throws(MediaError) -> [UInt8] {
        let file = try files.open(path, .read)
        var bytes: [UInt8] = []
        var failure: MediaError?
        while failure == nil {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, filled in
                do throws(MediaError) {
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                } catch {
                    failure = error
                }
                filled = count
            }
            if count == 0 { break }
            bytes += chunk
            if limit > 0, bytes.count > limit {
                failure = MediaError(
                    .badArgument, "read \(path.printable): larger than the script's memory")
            }
        }
        try file.close()
        if let failure { throw failure }
        return bytes
    }

    /// Writes bytes beside `path` and gives them its name; a file that gives way hands on its mode.
    ///
    /// - Throws: `output-failed` for what is no file: a pipe could keep the script waiting for ever.
    static func write(
        _ bytes: [UInt8], to path: String, _ files: any FileSystem
    ) throws(MediaError) {
        guard case .file = try OutputTarget(path, files) else {
            throw MediaError(.outputFailed, "write \(path.printable): not a file")
        }
        let output = try StagedOutput(path, files: files)
        var failure: MediaError?
        bytes.withUnsafeBytes { buffer in
            do throws(MediaError) { try output.file.write(buffer) } catch { failure = error }
        }
        if let failure {
            output.abandon()
            throw failure
        }
        try output.commit()
    }
}
