// What a measurement is asked to do, and what it says.

public import Loudness
public import MediaCore
public import MediaModel
public import Pipeline

/// Files whose loudness is measured.
public struct MeasureRequest: Sendable {
    /// Files, folders (with everything below them), patterns, `synth:` sources.
    public var inputs: [String]
    /// What the sound passes before it is measured.
    public var chain = FilterChain()
    /// Which stream of sound is measured.
    public var audio = AudioSelection.best
    /// How many files are measured at once; 0 for as many as the machine has cores.
    public var jobs = 0
    /// What counts as a media file inside a folder, by extension.
    public var extensions = InputExpansion.mediaExtensions

    /// Describes a measurement.
    public init(inputs: [String]) { self.inputs = inputs }

    /// Reads the options of the table.
    public init(
        inputs: [String], options: Options, registry: PluginRegistry
    ) throws(MediaError) {
        self.init(inputs: inputs)
        chain = try FilterChain(option: options.string("filter"), registry: registry)
        jobs = options.int("jobs") ?? 0
        if let index = options.int("stream"), index >= 0 { audio = .stream(index) }
    }

    /// The options that the command line, Lua and the reference share.
    public static let options: [OptionSpec] = [
        OptionSpec(
            "filter", .string, default: nil, unit: "CHAIN",
            "Filter chain that the sound passes before it is measured."),
        OptionSpec(
            "jobs", .int(0...256), default: .int(0),
            "Files measured at once; 0 for one a core."),
        OptionSpec(
            "stream", .int(-1...10_000), default: .int(-1),
            "Index of the stream that is measured; -1 for the one a player would choose."),
        OptionSpec(
            "album", .bool, default: .bool(false),
            "Measures all files together as well, as one programme."),
    ]
}

/// The loudness of one file or group.
public struct LoudnessFigures: Hashable, Sendable {
    /// What the meter says.
    public var measurement: LoudnessMeasurement
    /// The relative gate in LUFS, 10 LU under the loudness of what passes the absolute gate; −70
    /// where nothing does.
    public var threshold: Double
    /// How long the sound lasts.
    public var duration: MediaTime

    init(_ measurement: LoudnessMeasurement, blocks: [BlockEnergies], duration: MediaTime) {
        self.measurement = measurement
        self.duration = duration
        threshold = LoudnessFigures.threshold(blocks)
    }

    private static func threshold(_ group: [BlockEnergies]) -> Double {
        let floor = BlockEnergies.energy(BlockEnergies.absoluteGate)
        var sum = 0.0
        var count = 0
        for blocks in group where blocks.steps.count >= 4 {
            for end in 4...blocks.steps.count {
                let energy = blocks.steps[end - 4..<end].reduce(0, +) / 4
                guard energy >= floor else { continue }
                sum += energy
                count += 1
            }
        }
        guard count > 0 else { return BlockEnergies.absoluteGate }
        return max(
            BlockEnergies.absoluteGate, BlockEnergies.loudness(sum / Double(count)) - 10)
    }

    /// The figures by name: LUFS, LU, dBTP, dBFS and seconds; −∞ is null.
    public var json: JSON {
        guard case .object(let members) = measurement.json else { return .null }
        return .object(
            members + [
                .init("threshold", .double(threshold)),
                .init("duration", .double(duration.seconds)),
            ])
    }
}

/// What a measurement of many files says.
public struct MeasureSummary: Sendable {
    /// One file.
    public struct File: Sendable {
        /// Its path.
        public var input: String
        /// Its loudness, or the reason why it is not known.
        public var figures: Result<LoudnessFigures, MediaError>
        /// What a user should know.
        public var warnings: [String] = []
    }

    /// Each file with its figures, or with the reason why there are none; in the order of the
    /// inputs.
    public var files: [File]
    /// All files that could be measured, as one programme; nil where there are none.
    public var album: LoudnessFigures?
    /// Whether the measurement was cancelled.
    public var isCancelled: Bool

    /// 0 when every file was measured, 1 when some could not be, 3 when the only one could not be
    /// read, 130 when cancelled.
    public var exitStatus: Int32 {
        if isCancelled { return 130 }
        var status: Int32 = 0
        for file in files {
            guard case .failure(let error) = file.figures else { continue }
            status = files.count == 1 ? error.code.exitStatus : 1
        }
        return status
    }

    /// Everything, as one object.
    public var json: JSON {
        var members: [JSON.Member] = [
            .init("schema", .string("mediakit.measure/1")),
            .init(
                "files",
                .array(
                    files.map { file in
                        var row: [JSON.Member] = [.init("input", .string(file.input))]
                        switch file.figures {
                        case .success(let figures): row.append(.init("loudness", figures.json))
                        case .failure(let error):
                            row.append(.init("error", .string(error.code.rawValue)))
                            row.append(.init("message", .string(error.message)))
                        }
                        if !file.warnings.isEmpty {
                            let warnings = file.warnings.map { JSON.string($0) }
                            row.append(.init("warnings", .array(warnings)))
                        }
                        return .object(row)
                    })),
        ]
        if let album { members.append(.init("album", album.json)) }
        return .object(members)
    }
}
