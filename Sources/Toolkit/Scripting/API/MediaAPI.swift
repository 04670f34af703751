// Facts and figures of media: probing and measuring.

internal import Batch
internal import LuaRuntime
internal import MediaCore
internal import MediaModel
internal import Pipeline

extension ScriptAPI {
    private static let infoResult = LuaParameter(
        "info", type: "mk.MediaInfo", "What the medium holds.")
    private static let loudnessResult = LuaParameter(
        "loudness", type: "mk.Loudness", "What the meter says.")
    /// With what a medium can't be probed.
    private static let inputFailures: [MediaError.Code] = [
        .badArgument, .notFound, .permissionDenied, .inputFailed, .containerUnsupported,
        .containerMalformed, .cancelled,
    ]
    /// With what its sound can't be measured.
    private static let soundFailures: [MediaError.Code] = [
        .noSuchStream, .decoderNotFound, .decodeFailed, .filterFailed, .notLicensed,
    ]

    static let media: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            "probe", "Tells container, streams, chapters and metadata of a medium.",
            Param<String>("url", "A file, `-` for standard input, or `synth:` text."),
            returns: [infoResult], fails: inputFailures, waits: true,
            example: """
                local info = assert(mk.probe("synth:sine=duration=2"))
                print(info.duration, info.streams[1].codec)
                """
        ) { (context, url) throws(MediaError) in
            try context.finish(try probe(url, nil, context))
        },
        LuaFunction(
            "probe_async", "Probes beside the script.",
            Param<String>("url", "A file, `-` for standard input, or `synth:` text."),
            Param<LuaCallback>(
                "fn", "Is called with the facts, or with nil, a message and a code.",
                type: "fun(info?: mk.MediaInfo, message?: string, code?: mk.ErrorCode)"),
            returns: [LuaParameter("job", type: "mk.Job", "The work, to wait for or cancel.")],
            example: """
                mk.probe_async("synth:sine=duration=2", function(info, message)
                  print(info and info.duration or message)
                end)
                mk.run()
                """
        ) { (context, url, callback) throws(MediaError) in
            try probe(url, callback, context)
        },
        LuaFunction(
            "measure", "Measures loudness and true peak of a medium's sound (EBU R 128).",
            Param<String>("url", "A file or `synth:` text."),
            Param<MeasureOptions?>("options", "What is measured."),
            returns: [loudnessResult], fails: inputFailures + soundFailures, waits: true,
            example: """
                local loudness = assert(mk.measure("synth:sine=frequency=1000:duration=2"))
                print(loudness.integrated, "LUFS", loudness.true_peak, "dBTP")
                """
        ) { (context, url, options) throws(MediaError) in
            try context.finish(try measure(url, options, nil, context))
        },
        LuaFunction(
            "measure_async", "Measures beside the script.",
            Param<String>("url", "A file or `synth:` text."),
            Param<MeasureOptions?>("options", "What is measured."),
            Param<LuaCallback>(
                "fn", "Is called with the figures, or with nil, a message and a code.",
                type: "fun(loudness?: mk.Loudness, message?: string, code?: mk.ErrorCode)"),
            returns: [LuaParameter("job", type: "mk.Job", "The work, to wait for or cancel.")],
            example: """
                mk.measure_async("synth:sine=duration=2", nil, function(loudness)
                  print(loudness.integrated)
                end)
                mk.run()
                """
        ) { (context, url, options, callback) throws(MediaError) in
            try measure(url, options, callback, context)
        },
        LuaFunction(
            "measure_all", "Measures many files side by side, and as one album.",
            Param<[String]>("inputs", "Files, folders, patterns and `synth:` text."),
            Param<MeasureOptions?>("options", "What is measured."),
            returns: [LuaParameter("summary", type: "mk.MeasureSummary", "All figures.")],
            fails: [.cancelled], waits: true,
            example: """
                local all = assert(mk.measure_all{ "synth:sine=duration=2", "nowhere.flac" })
                print(all.files[1].loudness.integrated, all.files[2].message)
                """
        ) { (context, inputs, options) throws(MediaError) in
            let setting = context.setting
            var request = MeasureRequest(inputs: inputs)
            try options?.apply(to: &request, setting)
            try setting.permissions.inputs(inputs, extensions: request.extensions)
            let measurement = request
            let job = context.start("measure") { (token, _) throws(MediaError) in
                let runner = MeasureRunner(
                    measurement, registry: setting.registry, files: setting.files)
                let summary = runner.run(cancellation: token)
                try token.check()
                return Facts(summary.json)
            }
            return try context.finish(job)
        },
    ]

    private static func probe(
        _ url: String, _ callback: LuaCallback?, _ context: ScriptContext
    ) throws(MediaError) -> ScriptJob {
        let setting = context.setting
        try setting.permissions.open(url)
        return context.start("probe \(url.printable)", then: callback) {
            (token, _) throws(MediaError) in
            let source = try setting.registry.openSource(
                url,
                SourceContext(
                    registry: setting.registry, cancellation: token, files: setting.files))
            defer { source.close() }
            return Facts(source.info.choosingDecoders(setting.registry).json)
        }
    }

    private static func measure(
        _ url: String, _ options: MeasureOptions?, _ callback: LuaCallback?,
        _ context: ScriptContext
    ) throws(MediaError) -> ScriptJob {
        let setting = context.setting
        try setting.permissions.open(url)
        var request = MeasureRequest(inputs: [url])
        try options?.apply(to: &request, setting)
        let measurement = request
        return context.start("measure \(url.printable)", then: callback) {
            (token, _) throws(MediaError) in
            let runner = MeasureRunner(
                measurement, registry: setting.registry, files: setting.files)
            let summary = runner.run(cancellation: token)
            try token.check()
            guard let file = summary.files.first, summary.files.count == 1 else {
                throw MediaError(
                    .badArgument,
                    "measure \(url.printable): one file expected, got \(summary.files.count); "
                        + "use mk.measure_all")
            }
            switch file.figures {
            case .success(let figures): return Facts(figures.json)
            case .failure(let error): throw error
            }
        }
    }

    static let mediaRecords: [LuaRecordDescription] = [
        LuaRecordDescription(
            name: "mk.MediaInfo", summary: "What a medium holds.",
            fields: [
                .init("schema", type: "string", "The version of this table."),
                .init("url", type: "string", "Where it came from."),
                .init("container", type: "string", "FFmpeg's short name of the container."),
                .init("duration", type: "number", optional: true, "How long it lasts, in seconds."),
                .init("start_time", type: "number", "The timestamp it begins at, in seconds."),
                .init("bit_rate", type: "integer", optional: true, "Bits a second over all."),
                .init("size", type: "integer", optional: true, "Size in bytes."),
                .init("seekable", type: "boolean", "Whether it can be sought in."),
                .init("metadata", type: "table<string, string>", "Metadata of the whole."),
                .init("streams", type: "mk.StreamInfo[]", "The streams, by index."),
                .init("chapters", type: "mk.Chapter[]", "The chapters, in order."),
            ]),
        LuaRecordDescription(
            name: "mk.StreamInfo", summary: "One stream of a medium.",
            fields: [
                .init("index", type: "integer", "Its place in the container, from 0."),
                .init("kind", type: "mk.MediaKind", "What it carries."),
                .init("codec", type: "string", "FFmpeg's name of the codec."),
                .init("tag", type: "string", optional: true, "The container's tag of the codec."),
                .init("profile", type: "string", optional: true, "The codec's profile."),
                .init("bit_rate", type: "integer", optional: true, "Bits a second."),
                .init(
                    "start_time", type: "number", optional: true, "Its first timestamp, in seconds."
                ),
                .init("duration", type: "number", optional: true, "How long it lasts, in seconds."),
                .init("time_base", type: "string", "What one tick lasts: `1/48000`."),
                .init("language", type: "string", optional: true, "Its language tag."),
                .init("disposition", type: "string[]", "`default`, `forced`, `attached_pic`, …."),
                .init(
                    "decoder", type: "mk.DecoderChoice", optional: true,
                    "What decodes it, and why; nil where nothing does, or nothing needs to."),
                .init("sample_rate", type: "integer", optional: true, "Sound: samples a second."),
                .init("channels", type: "integer", optional: true, "Sound: how many channels."),
                .init("layout", type: "string", optional: true, "Sound: which channels."),
                .init("sample_format", type: "string", optional: true, "Sound: kind of samples."),
                .init("bits_per_sample", type: "integer", optional: true, "Sound: bits used."),
                .init("width", type: "integer", optional: true, "Pictures: columns."),
                .init("height", type: "integer", optional: true, "Pictures: rows."),
                .init("pixel_format", type: "string", optional: true, "Pictures: kind of pixels."),
                .init("frame_rate", type: "string", optional: true, "Pictures: frames a second."),
                .init(
                    "sample_aspect_ratio", type: "string", optional: true,
                    "Pictures: width of a pixel to its height."),
                .init(
                    "rotation", type: "integer", optional: true,
                    "Pictures: degrees by which they are turned clockwise when shown."),
                .init("color_range", type: "string", optional: true, "Pictures: `tv` or `pc`."),
                .init("color_matrix", type: "string", optional: true, "Pictures: `bt709`, …."),
                .init("color_primaries", type: "string", optional: true, "Pictures: `bt709`, …."),
                .init("color_transfer", type: "string", optional: true, "Pictures: `bt709`, …."),
                .init("hdr", type: "boolean", optional: true, "Pictures: high dynamic range."),
                .init("metadata", type: "table<string, string>", "Metadata of the stream."),
            ]),
        LuaRecordDescription(
            name: "mk.DecoderChoice", summary: "The decoder that was taken for a stream.",
            fields: [
                .init("name", type: "string", "The decoder plugin."),
                .init("version", type: "string", "The version of the code behind it."),
                .init("file", type: "string", optional: true, "The file it was loaded from."),
                .init(
                    "device", type: "string", optional: true,
                    "What it decodes on: `vaapi`, …; nil for the processor."),
                .init("reason", type: "string", "Why it was taken, in words for people."),
            ]),
        LuaRecordDescription(
            name: "mk.Chapter", summary: "A named part of a medium.",
            fields: [
                .init("id", type: "integer", "The container's number of it."),
                .init("start", type: "number", "Where it begins, in seconds."),
                .init(
                    "end", type: "number",
                    "Where it ends, in seconds; a word of Lua, so write `chapter[\"end\"]`."),
                .init("metadata", type: "table<string, string>", "Metadata; `title` is its name."),
            ]),
        LuaRecordDescription(
            name: "mk.Loudness",
            summary:
                "Figures of a meter by EBU R 128. Silence, and sound too short for a figure, is "
                + "`-math.huge` (`-inf`) in LUFS, dBTP and dBFS.",
            fields: [
                .init("integrated", type: "number", "Loudness, in LUFS."),
                .init("range", type: "number", "Loudness range, in LU."),
                .init("momentary_max", type: "number", "Loudest 400 ms, in LUFS."),
                .init("short_term_max", type: "number", "Loudest 3 s, in LUFS."),
                .init("true_peak", type: "number", "True peak, in dBTP."),
                .init("sample_peak", type: "number", "Largest sample, in dBFS."),
                .init("broken_samples", type: "integer", "Samples that were no numbers."),
                .init("frames", type: "integer", "Samples of each channel that were measured."),
                .init(
                    "threshold", type: "number", optional: true,
                    "The relative gate, in LUFS; nil in the results of a batch."),
                .init(
                    "duration", type: "number", optional: true,
                    "How long it lasts, in seconds; nil in the results of a batch."),
            ]),
        LuaRecordDescription(
            name: "mk.MeasureSummary", summary: "Figures of many files.",
            fields: [
                .init("schema", type: "string", "The version of this table."),
                .init(
                    "files", type: "mk.MeasuredFile[]",
                    "One entry a file, in order; what was not found comes last."),
                .init("album", type: "mk.Loudness", optional: true, "All files as one programme."),
            ]),
        LuaRecordDescription(
            name: "mk.MeasuredFile", summary: "What was measured of one file, or why it was not.",
            fields: [
                .init("input", type: "string", "The file."),
                .init("loudness", type: "mk.Loudness", optional: true, "Its figures."),
                .init("error", type: "mk.ErrorCode", optional: true, "What kind of failure."),
                .init("message", type: "string", optional: true, "Why it failed."),
                .init("warnings", type: "string[]", optional: true, "What a user should know."),
            ]),
        MeasureOptions.luaDescription, FileInfo.luaDescription, ChildProgram.luaDescription,
    ]
}

/// What `mk.measure` takes besides the medium.
struct MeasureOptions: LuaOptions {
    var filter: ChainArgument?
    var stream: Int?
    var jobs: Int?

    static let luaName = "mk.MeasureOptions"
    static let luaSummary = "What is measured, and how."
    static let luaFields: [LuaOption<MeasureOptions>] = [
        LuaOption("filter", \.filter, "What the sound passes before it is measured."),
        LuaOption("stream", \.stream, "Index of the stream; the one a player would choose if nil."),
        LuaOption("jobs", \.jobs, "Files measured at once; one a core when not given."),
    ]

    func apply(to request: inout MeasureRequest, _ setting: ScriptSetting) throws(MediaError) {
        if let filter { request.chain = try filter.chain(setting) }
        if let stream { request.audio = .stream(stream) }
        if let jobs {
            let values = ["jobs": OptionValue.int(jobs)]
            let checked = try Options(values, specs: MeasureRequest.options, owner: "measure")
            request.jobs = checked.int("jobs") ?? request.jobs
        }
    }
}
