// What is done with one file, apart from where its result goes.

package import MediaCore

/// What a processor may know of the run around it.
package struct ProcessorContext: Sendable {
    /// Ends the work with `cancelled`.
    package let cancellation: CancellationToken
    /// Whether this is the only file at work, so that its parts may run side by side.
    package let isAlone: Bool
    /// Says how far the work has come: 0…1 over all passes, position and duration in the input.
    package let progress: @Sendable (Double, MediaTime, MediaTime?) -> Void

    /// Says where a pass stands that takes the work from one fraction to another.
    func report(
        _ position: MediaTime, _ duration: MediaTime?, from start: Double, to end: Double
    ) {
        let whole = duration?.seconds ?? 0
        let part = whole > 0 ? min(1, max(0, position.seconds / whole)) : 0
        progress(start + (end - start) * part, position, duration)
    }
}

/// Works on files; one value serves all threads of a run.
package protocol BatchProcessor: Sendable {
    /// What, besides the inputs, decides about the bytes of an output.
    var recipe: JSON { get }
    /// Refuses an item that can't be worked on whatever is in it; quick, opens nothing.
    func check(_ item: BatchItem) throws(MediaError)
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
    package func check(_ item: BatchItem) throws(MediaError) {}
    package var needsSurvey: Bool { false }
    package func survey(_ item: BatchItem, _ context: ProcessorContext) throws(MediaError) {}
    package func settle(
        _ items: [BatchItem], _ context: ProcessorContext
    ) throws(MediaError) -> JSON {
        .null
    }
    package func restore(_ plan: JSON) -> Bool { true }
}
