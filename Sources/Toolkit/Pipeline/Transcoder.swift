// One input through one chain into one output.

public import MediaCore
public import MediaModel

/// Reads, decodes, filters, encodes and writes one medium, and copies what nobody touches.
///
/// - Threading: `run` blocks its caller, which reads the input; see `Threading` for the rest.
/// - Source: timestamps follow FFmpeg's command-line tool, so that outputs can be compared.
public struct Transcoder: Sendable {
    private let request: TranscodeRequest
    private let registry: PluginRegistry
    private let files: any FileSystem

    /// Prepares; nothing is opened yet.
    public init(
        _ request: TranscodeRequest, registry: PluginRegistry,
        files: any FileSystem = SystemFileSystem()
    ) {
        self.request = request
        self.registry = registry.forRun()
        self.files = files
    }

    /// Does the work and says what came of it.
    ///
    /// `file` is borrowed and neither synced nor closed; nil where the container writes its own
    /// files. `progress` is called at most ten times a second. Cancelling ends the run within
    /// 100 ms.
    ///
    /// - Throws: `not-licensed`, `no-such-stream` where a chain is given and there is no sound, `cancelled`,
    ///   whatever the input, the filters, the encoder or the output report.
    public func run(
        into file: (any OpenFile)?, cancellation: CancellationToken = CancellationToken(),
        progress: @escaping @Sendable (_ position: MediaTime, _ duration: MediaTime?) -> Void = {
            _, _ in
        }
    ) throws(MediaError) -> TranscodeReport {
        let control = RunControl(cancellation)
        defer { control.end() }
        try control.check()
        try registry.admit(request.chain.filters)
        let source = try registry.openSource(
            request.url,
            SourceContext(registry: registry, cancellation: control.token, files: files))
        defer { source.close() }
        if file == nil { try OutputTarget.checkFolder(of: request.outputPath, files) }
        let run = try TranscodeRun(
            request, source, registry: registry, into: file, control: control, progress: progress)
        return try run.run()
    }
}
