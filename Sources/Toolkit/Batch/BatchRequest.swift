// What a batch is asked to do.

public import MediaCore
public import MediaModel
public import Pipeline

/// Many inputs, one chain, one naming rule.
public struct BatchRequest: Sendable {
    /// Files, folders (with everything below them), patterns, `synth:` sources.
    public var inputs: [String]
    /// What each input's sound passes.
    public var chain: FilterChain
    /// How outputs are named; nil when inputs are replaced.
    public var output: OutputTemplate?
    /// Whether each input is replaced by its result; metadata and permission bits are kept.
    public var isInPlace = false
    /// Container, encoders, rates; outputs always leave out what differs between runs.
    public var settings = OutputSettings()
    /// What a sink prescribes.
    public var preset = ContainerPreset.file
    /// Which stream of sound passes the chain.
    public var audio = AudioSelection.best
    /// How many files are worked on at once; 0 for as many as the machine has cores.
    public var jobs = 1
    /// Where the journal is; nil for `.mediakit-journal.jsonl` in the folder of all outputs.
    public var journal: String?
    /// Whether, in place, the journals of the folders above the files are believed too.
    ///
    /// Those beside the files always are. A script that may not read above them must not set it.
    public var looksAbove = false
    /// Whether files that the journal knows as finished are done again; in place, whether what is a
    /// result already or would lose something is replaced all the same.
    public var repeatsFinished = false
    /// Whether an output that is there, and that the journal does not know, is left alone and its
    /// input counts as failed (`output-exists`); otherwise it is replaced.
    public var keepsExisting = false
    /// Whether nothing new is begun after the first failure.
    public var stopsAtFailure = false
    /// Whether all inputs of a file-mode normalisation share one gain.
    public var isAlbum = false
    /// What counts as a media file inside a folder, by extension.
    public var extensions = InputExpansion.mediaExtensions
    /// Where a report is written, `.csv` for rows or `.json`; a device or a FIFO gets JSON; nil for
    /// none.
    public var report: String?
    /// Program and library versions; outputs made under other ones are done again, files replaced in
    /// place never.
    public var engine = ""
    /// Bytes of decoded sound kept in memory between measuring and encoding, over all jobs.
    public var sampleBudget = 256 << 20

    /// Describes a batch.
    public init(inputs: [String], chain: FilterChain = FilterChain(), output: OutputTemplate?) {
        self.inputs = inputs
        self.chain = chain
        self.output = output
    }

    /// Reads the options of the table; `output` or `in_place` must be among them.
    ///
    /// Outputs leave out what differs between runs (`bit_exact`), so that a run that was
    /// interrupted and gone on with gives the same bytes as one that was not.
    public init(
        inputs: [String], options: Options, registry: PluginRegistry
    ) throws(MediaError) {
        let template = options.string("output") ?? ""
        let isInPlace = options.bool("in_place")
        guard template.isEmpty == isInPlace else {
            throw MediaError(
                .badArgument,
                isInPlace
                    ? "batch: either an output template or in-place, not both"
                    : "batch: say where outputs go, with --output \"OUT/{stem}.flac\" or --in-place"
            )
        }
        self.init(
            inputs: inputs,
            chain: try FilterChain(option: options.string("filter"), registry: registry),
            output: isInPlace ? nil : try OutputTemplate(parsing: template))
        self.isInPlace = isInPlace
        settings = try OutputSettings(options)
        engine = registry.signature
        jobs = options.int("jobs") ?? 1
        journal = options.string("journal")
        repeatsFinished = options.bool("force")
        keepsExisting = options.bool("keep_existing")
        stopsAtFailure = options.bool("fail_fast")
        isAlbum = options.bool("album")
        report = options.string("report")
        if let list = options.string("extensions") {
            extensions = list.split(separator: ",").map { String($0.drop { $0 == "." }) }
        }
    }

    /// The same with the filters that are on: those that are off are as if they were not there.
    var withoutDisabledFilters: BatchRequest {
        var request = self
        request.chain.filters.removeAll { !$0.isEnabled }
        return request
    }

    /// The options that the command line, Lua and the reference share.
    public static let options: [OptionSpec] =
        [
            OptionSpec(
                "filter", .string, default: nil, unit: "CHAIN",
                "Filter chain that each input's sound passes; without one, streams are copied."),
            OptionSpec(
                "output", .string, default: nil, unit: "TEMPLATE",
                "Name of each output, with {dir} {rel} {name} {stem} {ext} {index}; missing "
                    + "folders are made."),
            OptionSpec(
                "in_place", .bool, default: .bool(false),
                "Replaces each input by its result, atomically; leaves alone what would lose "
                    + "something by it, and what is a result already."),
            OptionSpec(
                "jobs", .int(0...256), default: .int(1),
                "Files worked on at once; 0 for one a core."),
            OptionSpec(
                "report", .string, default: nil, unit: "FILE",
                "Writes what became of each file: .json, or .csv for rows."),
            OptionSpec(
                "journal", .string, default: nil, unit: "FILE",
                "Remembers finished files; .mediakit-journal.jsonl beside the outputs when not "
                    + "set."),
            OptionSpec(
                "force", .bool, default: .bool(false),
                "Does finished files again; in place, replaces also what is a result already or would "
                    + "lose something."),
            OptionSpec(
                "keep_existing", .bool, default: .bool(false),
                "Leaves outputs alone that are there and unknown to the journal; they count as "
                    + "failed."),
            OptionSpec(
                "fail_fast", .bool, default: .bool(false),
                "Begins nothing new after the first failure."),
            OptionSpec(
                "album", .bool, default: .bool(false),
                "Gives all files of a loudness normalisation one gain."),
            OptionSpec(
                "dry_run", .bool, default: .bool(false),
                "Shows what would be done, and touches nothing."),
            OptionSpec(
                "extensions", .string, default: nil, unit: "LIST",
                "Extensions taken from folders, with commas; the usual media files when not set."
            ),
        ] + OutputSettings.options.filter { $0.name != "bit_exact" }
}
