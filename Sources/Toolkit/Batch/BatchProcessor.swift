// What is done with one file, apart from where its result goes.

internal import MediaCore

/// What a processor may know of the run around it.
struct ProcessorContext: Sendable {
    /// Ends the work with `cancelled`.
    let cancellation: CancellationToken
    /// Whether this is the only file at work, so that its parts may run side by side.
    let isAlone: Bool
    /// Says how far the work has come: 0…1 over all passes, position and duration in the input.
    let progress: @Sendable (Double, MediaTime, MediaTime?) -> Void
}

/// Works on files; one value serves all threads of a run.
protocol BatchProcessor: Sendable {
    /// What, besides the inputs, decides about the bytes of an output.
    var recipe: JSON { get }
    /// Whether `survey` must have seen all files before the first is worked on.
    var needsSurvey: Bool { get }
    /// Looks at one file of a group; called before any `process`, on any thread.
    func survey(_ item: BatchItem, _ context: ProcessorContext) throws(MediaError)
    /// Everything was surveyed: settles what the group shares and says it.
    func settle(_ items: [BatchItem], _ context: ProcessorContext) throws(MediaError) -> JSON
    /// Takes what an earlier run settled, in place of a survey.
    func restore(_ plan: JSON) -> Bool
    /// Reads the input and writes the finished contents into `file`, which lies at `temporary`.
    func process(
        _ item: BatchItem, into file: any OpenFile, at temporary: String,
        _ context: ProcessorContext
    ) throws(MediaError) -> BatchDetails
}

extension BatchProcessor {
    var needsSurvey: Bool { false }
    func survey(_ item: BatchItem, _ context: ProcessorContext) throws(MediaError) {}
    func settle(_ items: [BatchItem], _ context: ProcessorContext) throws(MediaError) -> JSON {
        .null
    }
    func restore(_ plan: JSON) -> Bool { true }
}
