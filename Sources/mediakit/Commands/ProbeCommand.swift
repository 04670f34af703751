// `mediakit probe`: what a medium holds.

import Toolkit

struct ProbeCommand: Command {
    let name = "probe"
    let summary = "Shows container, streams, chapters and metadata of a medium."
    let discussion = """
        FILE is a file, `-` for standard input, or `synth:` with libavfilter sources.

        Example: mediakit probe film.mkv --json
        """
    let operands = Operands(usage: "FILE", least: 1, most: 1)
    let options = [CommonOptions.json]

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let registry = try line.plugins().registry
        let url = line.operands[0]
        let info = try Interrupts.watching { (token) throws(MediaError) in
            let source = try registry.openSource(
                url, SourceContext(registry: registry, cancellation: token))
            defer { source.close() }
            return source.info.choosingDecoders(registry)
        }
        try line.options.bool("json")
            ? Terminal.write(info.json) : Terminal.write(ProbePage.text(for: info))
        return 0
    }
}

/// The facts of a medium for a person.
enum ProbePage {
    static func text(for info: MediaInfo) -> String {
        var text = "\(info.url.printable): \(info.containerName)"
        if let duration = info.duration { text += ", \(duration)" }
        if let bitRate = info.bitRate { text += ", \(kilobits(bitRate))" }
        text += info.isSeekable ? "\n" : ", not seekable\n"
        for stream in info.streams {
            text += "  \(stream.index): \(line(for: stream))\n"
            // The line has the language; the others are those of writers.
            let others = ["language", "handler_name", "vendor_id"]
            for entry in stream.metadata where !others.contains(entry.name.lowercased()) {
                text += "    \(entry.name.printable): \(entry.value.printable)\n"
            }
        }
        for (number, chapter) in info.chapters.enumerated() {
            let title = chapter.metadata.first { $0.name == "title" }?.value
            text +=
                "  chapter \(number + 1): \(chapter.start) – \(chapter.end)"
                + "\(title.map { " “\($0.printable)”" } ?? "")\n"
        }
        for entry in info.metadata {
            text += "  \(entry.name.printable): \(entry.value.printable)\n"
        }
        return text
    }

    private static func line(for stream: StreamInfo) -> String {
        var parts = ["\(stream.kind.rawValue) \(stream.parameters.codecName)"]
        if let profile = stream.parameters.profile { parts[0] += " (\(profile))" }
        if let audio = stream.parameters.audioFormat {
            parts += ["\(audio.sampleRate) Hz", audio.layout.name, audio.sampleFormat.rawValue]
        }
        if let video = stream.parameters.videoFormat {
            parts += [video.description]
            let colours = stream.parameters.color?.description ?? ""
            if !colours.isEmpty { parts.append(colours) }
            if let turn = stream.rotation, turn != 0 { parts.append("turned by \(turn)°") }
            if let rate = stream.frameRate, !stream.isAttachedPicture {
                parts.append("\(OptionValue.double((rate.value * 1000).rounded() / 1000)) fps")
            }
        }
        if let bitRate = stream.parameters.bitRate { parts.append(kilobits(bitRate)) }
        if let start = stream.startTime, start != .zero { parts.append("from \(start)") }
        if let language = stream.language { parts.append(language.printable) }
        let isPlayable = stream.kind == .audio || stream.kind == .video
        let lacks = isPlayable && stream.decoder == nil ? ["no decoder"] : []
        return (parts + stream.dispositionNames + lacks).joined(separator: ", ")
    }

    private static func kilobits(_ bitRate: Int) -> String { "\((bitRate + 500) / 1000) kbit/s" }
}
