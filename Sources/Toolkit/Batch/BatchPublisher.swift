// Finished temporary files onto their final names, many at a time and beside the next work.

internal import MediaCore

/// A finished output that has not its name yet.
struct FinishedOutput: Sendable {
    var item: BatchItem
    var temporary: String
    var details: BatchDetails

    /// The folder that gets the name.
    var folder: PathKey { PathKey(PathText.folder(of: item.output)) }
}

/// Publishes outputs on a thread of its own: contents to the disk, journal to the disk, then the
/// names.
///
/// The journal speaks before the name is given, with the facts the output will have. Whatever
/// moment a kill hits, the next run finds either the output as recorded, or none that matches and
/// does the file again. Outputs that wait are published together, which spares waiting for the
/// disk; at most `limit` wait, then `submit` blocks.
final class BatchPublisher: Sendable {
    static let limit = 32

    private let queue = BoundedQueue<FinishedOutput>(limit: limit)
    private let thread: WorkerThread

    /// Starts the thread; `report` is called on it once for each submitted output.
    init(
        journal: Journal, recipe: String, files: any FileSystem,
        report: @escaping @Sendable (FinishedOutput, MediaError?) -> Void
    ) {
        let work = PublishingWork(journal: journal, recipe: recipe, files: files, report: report)
        let queue = queue
        thread = WorkerThread("mk-publish") {
            while case .element(let first, _)? = queue.pop() {
                var outputs = [first]
                while outputs.count < BatchPublisher.limit,
                    case .element(let next, _)? = queue.pop(until: .zero)
                {
                    outputs.append(next)
                }
                work.publish(outputs)
            }
        }
    }

    /// Hands an output over; waits while too many are waiting.
    func submit(_ output: FinishedOutput) { _ = queue.push(output) }

    /// Waits until everything that was submitted is published.
    func finish() {
        queue.finish()
        thread.join()
    }
}

private struct PublishingWork: Sendable {
    let journal: Journal
    let recipe: String
    let files: any FileSystem
    let report: @Sendable (FinishedOutput, MediaError?) -> Void

    private typealias Sealed = (output: FinishedOutput, entry: JournalEntry)

    func publish(_ outputs: [FinishedOutput]) {
        let sealed = outputs.compactMap(seal)
        do throws(MediaError) {
            try journal.append(sealed.map { .done($0.entry) }, isSynced: true)
        } catch {
            for one in sealed { giveUp(one.output, error) }
            return
        }
        var named: [FinishedOutput] = []
        for one in sealed {
            do throws(MediaError) {
                try files.rename(one.output.temporary, to: one.output.item.output)
                named.append(one.output)
            } catch {
                giveUp(one.output, error)
            }
        }
        var failures: [PathKey: MediaError] = [:]
        for folder in Set(named.map(\.folder)) {
            do throws(MediaError) {
                try files.syncFolder(folder.path)
            } catch {
                failures[folder] = error
            }
        }
        for output in named { report(output, failures[output.folder]) }
    }

    /// Brings the contents to the disk and says what the output will be.
    private func seal(_ output: FinishedOutput) -> Sealed? {
        let item = output.item
        do throws(MediaError) {
            let file = try files.open(output.temporary, .read)
            try file.sync()
            try file.close()
            if item.isInPlace, let before = item.input.facts {
                let now = try files.facts(of: item.output)
                guard FileStamp(now) == FileStamp(before), now?.identity == before.identity else {
                    throw MediaError(
                        .inputFailed,
                        "\(item.input.path.printable) was changed while it was worked on; it is "
                            + "left as it is now")
                }
            }
            guard let facts = try files.facts(of: output.temporary) else {
                throw MediaError(
                    .outputFailed, "\(output.temporary.printable) was removed by someone else")
            }
            let entry = JournalEntry(
                input: item.input.path, source: FileStamp(item.input.facts), recipe: recipe,
                output: item.output, result: FileStamp(facts), isInPlace: item.isInPlace,
                row: .object(output.details.members))
            return (output, entry)
        } catch {
            giveUp(output, error)
            return nil
        }
    }

    private func giveUp(_ output: FinishedOutput, _ error: MediaError) {
        // Where even that fails the journal knows the name, and the next run removes it.
        try? files.remove(output.temporary)
        report(output, error)
    }
}
