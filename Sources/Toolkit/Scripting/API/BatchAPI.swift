// One chain over many files.

internal import Batch
internal import LuaRuntime
internal import MediaCore
internal import MediaModel
internal import Pipeline

extension ScriptAPI {
    private static let inputsArgument = Param<BatchArgument>(
        "inputs", "Files, folders, patterns and `synth:` text; or all options as one table.",
        type: "string|string[]|mk.BatchOptions")
    private static let chainArgument = Param<ChainArgument?>(
        "chain", "What each input's sound passes; nil copies all streams.")
    private static let optionsArgument = Param<OptionTable?>(
        "options", "Where outputs go, and how.", type: "mk.BatchOptions")
    private static let oneTable =
        "fun(options: mk.BatchOptions): mk.BatchSummary?, string?, string?"

    static let batches: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            "batch",
            "Runs a chain over many files, restartably; one bad file never stops the rest.",
            inputsArgument, chainArgument, optionsArgument,
            returns: [LuaParameter("summary", type: "mk.BatchSummary", "What became of each.")],
            fails: [
                .badArgument, .outputExists, .outputFailed, .diskFull, .invalidState, .notLicensed,
                .cancelled,
            ],
            waits: true,
            overloads: [oneTable],
            example: """
                local chain = mk.chain("volume=-3dB,alimiter")
                local summary = assert(mk.batch({ "synth:sine=duration=1" }, chain, {
                  output = "out/{index}.flac",
                }))
                print(summary.done, summary.files[1].output)
                """
        ) { (context, inputs, chain, options) throws(MediaError) in
            try context.finish(try batch(inputs, chain, options, nil, context))
        },
        LuaFunction(
            "batch_async", "Runs a batch beside the script.",
            inputsArgument, chainArgument, optionsArgument,
            Param<LuaCallback?>(
                "fn", "Is called with the summary, or with nil, a message and a code.",
                type: "fun(summary?: mk.BatchSummary, message?: string, code?: mk.ErrorCode)"),
            returns: [LuaParameter("job", type: "mk.Job", "The work, to wait for or cancel.")],
            example: """
                local job = mk.batch_async("synth:sine=duration=1", nil, {
                  output = "out/{index}.wav",
                  on_event = function(event) print(event.event) end,
                }, function(summary) print(summary.done) end)
                mk.run()
                assert(job:is_done())
                """
        ) { (context, inputs, chain, options, callback) throws(MediaError) in
            try batch(inputs, chain, options, callback, context)
        },
    ]

    private static let ownNames: Set<String> = ["inputs", "filter", "on_event"]

    private static func batch(
        _ argument: BatchArgument, _ chain: ChainArgument?, _ options: OptionTable?,
        _ callback: LuaCallback?, _ context: ScriptContext
    ) throws(MediaError) -> ScriptJob {
        let setting = context.setting
        let table = argument.table ?? options ?? OptionTable(values: [])
        if argument.table != nil, chain != nil || options != nil {
            throw MediaError(
                .badArgument, "batch: either one table with `inputs`, or inputs, chain and options")
        }
        if argument.table == nil {
            for (name, isGiven) in [("inputs", true), ("filter", chain != nil)]
            where isGiven && table[name] != nil {
                throw MediaError(
                    .badArgument, "batch: '\(name)' is given twice, as an argument and as an option"
                )
            }
        }
        let inputs = try argument.inputs()
        let filter = chain ?? table["filter"].map { ChainArgument(value: $0) }
        let checked = try Options(
            try table.plain(of: BatchRequest.options, except: ownNames),
            specs: BatchRequest.options, owner: "batch")
        guard checked.bool("in_place") != (checked.string("output") != nil) else {
            throw MediaError(
                .badArgument,
                checked.bool("in_place")
                    ? "batch: either `output` or `in_place`, not both"
                    : "batch: say where outputs go, with `output = \"OUT/{stem}.flac\"` or "
                        + "`in_place = true`")
        }
        var request = try BatchRequest(
            inputs: inputs, options: checked, registry: setting.registry)
        if let filter { request.chain = try filter.chain(setting) }
        try setting.permissions.inputs(inputs, extensions: request.extensions)
        try setting.permissions.output(request.settings, to: nil, registry: setting.registry)
        for path in [request.report, request.journal].compactMap({ $0 }) {
            try setting.permissions.write(path)
        }
        let runner: BatchRunner
        do throws(MediaError) {
            runner = try BatchRunner(request, registry: setting.registry, files: setting.files)
        } catch {
            throw BatchWords.script(error)
        }
        if !setting.permissions.writesAnything {
            for result in try runner.plan().results where !result.output.isEmpty {
                try setting.permissions.write(result.output)
            }
        }
        var news: LuaCallback?
        switch table["on_event"] {
        case nil: break
        case .function(let reference): news = LuaCallback(reference)
        default: throw MediaError(.badArgument, "option 'on_event': function expected")
        }
        let isDryRun = checked.bool("dry_run")
        let reportsNews = news != nil
        return context.start("batch", then: callback, news: news) {
            (token, post) throws(MediaError) in
            do throws(MediaError) {
                if isDryRun { return Facts(summary(try runner.plan())) }
                let result = try runner.run(cancellation: token) { event in
                    if reportsNews, let news = self.news(event) { post(news) }
                }
                if result.isCancelled { throw MediaError(.cancelled, "batch: \(result.sentence)") }
                return Facts(summary(result))
            } catch {
                throw BatchWords.script(error)
            }
        }
    }

    private static func summary(_ result: BatchSummary) -> JSON {
        .object(
            BatchResult.Status.allCases.map {
                .init($0.rawValue, .int(Int64(result.count($0))))
            } + [
                .init("wall", .double(result.wall.seconds)),
                .init("exit_status", .int(Int64(result.exitStatus))),
                .init("text", .string(result.sentence)),
                .init(
                    "files",
                    .array(result.results.map { BatchWords.script(row: BatchReport.row($0)) })
                ),
            ])
    }

    private static func news(_ event: BatchEvent) -> JSON? {
        switch event {
        case .began(let files, let bytes):
            .object([
                .init("event", .string("began")), .init("files", .int(Int64(files))),
                .init("bytes", .int(bytes)),
            ])
        case .started(let index, let input, let output):
            .object([
                .init("event", .string("started")), .init("index", .int(Int64(index + 1))),
                .init("input", .string(input)), .init("output", .string(output)),
            ])
        case .progress(let index, let fraction, let position, let duration):
            .object([
                .init("event", .string("progress")), .init("index", .int(Int64(index + 1))),
                .init("fraction", .double(fraction)), .init("position", .double(position.seconds)),
                .init("duration", duration.map { .double($0.seconds) } ?? .null),
            ])
        case .ended(let result, _):
            .object([
                .init("event", .string("ended")), .init("index", .int(Int64(result.index + 1))),
                .init("file", BatchWords.script(row: BatchReport.row(result))),
            ])
        default: nil
        }
    }

    static let batchRecords: [LuaRecordDescription] = [
        LuaRecordDescription(
            name: "mk.BatchOptions", summary: "How a batch is run.",
            options: BatchRequest.options.filter { !ownNames.contains($0.name) },
            more: [
                .init(
                    "inputs", type: "string|string[]", optional: true,
                    "Files, folders, patterns and `synth:` text, where all is one table."),
                .init(
                    "filter", type: ChainArgument.luaType, optional: true,
                    "What each input's sound passes, where all is one table."),
                .init(
                    "on_event", type: "fun(event: mk.BatchEvent)", optional: true,
                    "Is called as the batch goes on."),
            ]),
        LuaRecordDescription(
            name: "mk.BatchSummary", summary: "What became of a batch.",
            fields: [
                .init("done", type: "integer", "Files done in this run."),
                .init("planned", type: "integer", "Files that a dry run would do."),
                .init(
                    "skipped", type: "integer",
                    "Files that an earlier run has finished, or that are left alone."),
                .init("failed", type: "integer", "Files that could not be done."),
                .init("cancelled", type: "integer", "Files given up or not begun."),
                .init("wall", type: "number", "How long it took, in seconds."),
                .init("exit_status", type: "integer", "What a command would end with."),
                .init("text", type: "string", "All that in one line."),
                .init(
                    "files", type: "mk.BatchFile[]",
                    "One entry a file, in order; what was not found comes last."),
            ]),
        LuaRecordDescription(
            name: "mk.BatchFile", summary: "What became of one file.",
            fields: [
                .init("input", type: "string", "The input."),
                .init("output", type: "string", optional: true, "The output."),
                .init("status", type: "mk.BatchStatus", "How it ended."),
                .init("error", type: "mk.ErrorCode", optional: true, "What kind of failure."),
                .init("message", type: "string", optional: true, "Why it failed or is left alone."),
                .init(
                    "duration", type: "number", optional: true, "How long the input lasts, in s."),
                .init("wall", type: "number", "How long the work took, in seconds."),
                .init(
                    "before", type: "mk.Loudness", optional: true,
                    "Loudness of what reaches `normalizer`: of the input, where no filter comes "
                        + "before it; nil without one."),
                .init(
                    "after", type: "mk.Loudness", optional: true,
                    "Loudness of the output; nil without `normalizer`."),
                .init("gain", type: "number", optional: true, "The gain that was applied, in dB."),
                .init("limited", type: "boolean", "Whether peaks were limited."),
                .init("encoder", type: "string", optional: true, "The encoder of the sound."),
                .init("warnings", type: "string[]", "What a user should know."),
            ]),
        LuaRecordDescription(
            name: "mk.BatchEvent", summary: "What a batch says as it goes on.",
            fields: [
                .init("event", type: "string", "`began`, `started`, `progress` or `ended`."),
                .init("files", type: "integer", optional: true, "How many files (`began`)."),
                .init("bytes", type: "integer", optional: true, "How many bytes (`began`)."),
                .init("index", type: "integer", optional: true, "Which file, from 1."),
                .init("input", type: "string", optional: true, "The input (`started`)."),
                .init("output", type: "string", optional: true, "The output (`started`)."),
                .init("fraction", type: "number", optional: true, "0 to 1 (`progress`)."),
                .init("position", type: "number", optional: true, "In seconds (`progress`)."),
                .init("duration", type: "number", optional: true, "In seconds (`progress`)."),
                .init("file", type: "mk.BatchFile", optional: true, "The result (`ended`)."),
            ]),
    ]
}

/// The first argument of a batch: inputs, or everything.
struct BatchArgument: LuaReadable {
    static let luaType = "string|string[]|mk.BatchOptions"
    private let names: LuaValue
    let table: OptionTable?

    static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> BatchArgument {
        let value = try LuaValue.read(stack, at: index)
        switch value {
        case .string: return BatchArgument(names: value, table: nil)
        case .table(let elements, let fields) where elements.isEmpty && !fields.isEmpty:
            let table = OptionTable(values: fields)
            guard let names = table["inputs"] else {
                throw MediaError(.badArgument, "field 'inputs' is missing")
            }
            return BatchArgument(names: names, table: table)
        case .table(_, let fields) where fields.isEmpty:
            return BatchArgument(names: value, table: nil)
        default: throw stack.mismatch("inputs (a string, a list or a table)", at: index)
        }
    }

    /// The inputs by name.
    func inputs() throws(MediaError) -> [String] {
        switch names {
        case .string(let name): return [name]
        case .table(let elements, let fields) where fields.isEmpty:
            var inputs: [String] = []
            for element in elements {
                guard case .string(let name) = element else {
                    throw MediaError(.badArgument, "inputs: a list of strings expected")
                }
                inputs.append(name)
            }
            return inputs
        default: throw MediaError(.badArgument, "inputs: a string or a list of strings expected")
        }
    }
}
