// One file of a batch from its input to a finished temporary file.

internal import MediaCore
internal import Synchronization

/// Works on one item after the other.
struct BatchWorker: Sendable {
    let processor: any BatchProcessor
    let journal: Journal
    let files: any FileSystem
    let temporaryNumbers: TemporaryNumbers

    /// Does the work; the finished file lies under the temporary name of the result.
    ///
    /// Nothing is left behind when it throws, unless removing fails: then the journal knows.
    func work(
        on item: BatchItem, _ context: ProcessorContext
    ) throws(MediaError) -> FinishedOutput {
        if let problem = item.problem { throw problem }
        try context.cancellation.check()
        let folder = PathText.folder(of: item.output)
        if !folder.isEmpty { try files.makeFolder(folder) }
        let (file, temporary) = try makeTemporary(beside: item.output)
        do throws(MediaError) {
            // Before anything is in it that not everyone may read.
            if try files.facts(of: item.output)?.kind == .file {
                try files.copyAttributes(from: item.output, to: temporary)
            }
            let details = try processor.process(item, into: file, at: temporary, context)
            try file.close()
            return FinishedOutput(item: item, temporary: temporary, details: details)
        } catch {
            try? file.close()
            try? files.remove(temporary)
            throw error
        }
    }

    private func makeTemporary(
        beside output: String
    ) throws(MediaError) -> (file: any OpenFile, path: String) {
        var tries = 0
        while true {
            let path = TemporaryName.beside(output, number: temporaryNumbers.next())
            try journal.append([.begin(temporary: path)], isSynced: false)
            do throws(MediaError) {
                return (try files.open(path, .createNew), path)
            } catch {
                // A leftover of a dead run that had the same process number.
                tries += 1
                guard error.code == .outputExists, tries < 100 else { throw error }
            }
        }
    }
}

/// Counts temporary files of a run.
final class TemporaryNumbers: Sendable {
    private let last = Atomic(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
