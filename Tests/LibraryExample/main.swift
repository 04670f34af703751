// The program of docs/library.md, built as one outside of this package would be.

import Glibc
import Toolkit

/// Plays a medium as fast as it goes, through a chain, and tells what happens.
func play(_ url: String, _ registry: PluginRegistry) async throws {
    var configuration = PlayerConfiguration()
    configuration.clock = .free
    configuration.autoplay = true
    let player = try Player(registry: registry, configuration: configuration)
    defer { player.close() }
    try player.use(FilterChain(parsing: "volume=-3dB", registry: registry))

    let events = player.events.stream()  // from here on, nothing is missed
    let info = try await player.open(url)
    print("\(info.containerName) with \(info.streams.count) streams")
    for await event in events {
        switch event {
        case .statusChanged(let status): print("status: \(status.rawValue)")
        case .warning(let message): print("warning: \(message)")
        case .error(let error): throw error
        case .ended:
            print("played to the end")
            return
        default: break
        }
    }
}

/// Converts one medium; the output is there whole or not at all.
func convert(_ url: String, to path: String, _ registry: PluginRegistry) throws {
    let chain = try FilterChain(parsing: "volume=-3dB", registry: registry)
    let request = TranscodeRequest(url: url, chain: chain, outputPath: path)
    let output = try StagedOutput(path)  // dropped again unless it is committed
    let report = try Transcoder(request, registry: registry).run(into: output.file)
    try output.commit()
    print("\(path): \(report.container), \(report.frames) frames")
}

/// Normalises the loudness of files into a folder; a second run finds them finished.
func normalize(_ files: [String], into folder: String, _ registry: PluginRegistry) throws {
    let request = BatchRequest(
        inputs: files,
        chain: try FilterChain(parsing: "normalizer=target=-16:true_peak=-1", registry: registry),
        output: try OutputTemplate(parsing: "\(folder)/{stem}.flac"))
    let summary = try BatchRunner(request, registry: registry).run()
    print(summary.sentence)
}

guard CommandLine.arguments.count == 3 else {
    print("give a medium and a folder")
    exit(2)
}
let (medium, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
do {
    let registry = try BuiltinPlugins.makeRegistry()
    try await play(medium, registry)
    try convert(medium, to: "\(folder)/quieter.mka", registry)
    try normalize(["\(folder)/quieter.mka"], into: "\(folder)/level", registry)
} catch {
    print("failed: \(error)")  // a MediaError: `code` for programs, the sentence for people
    exit(1)
}
