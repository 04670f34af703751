// Which input becomes which output, checked before anything is touched.

public import MediaCore

/// One file of a batch and where its result goes.
public struct BatchItem: Sendable {
    /// Its place in the list, from 0.
    public var index: Int
    /// What is read.
    public var input: BatchInput
    /// What is written; for in-place work the input itself, links followed.
    public var output: String
    /// Why it can't be worked on, where that is known beforehand.
    public var problem: MediaError?
    /// Why it is left alone, which is no failure.
    public var note: String?

    /// Whether the output replaces the input.
    public var isInPlace: Bool

    init(
        index: Int, input: BatchInput, output: String, problem: MediaError? = nil,
        isInPlace: Bool = false
    ) {
        self.index = index
        self.input = input
        self.output = output
        self.problem = problem
        self.isInPlace = isInPlace
    }
}

/// Joins inputs with outputs and refuses what would destroy something.
struct BatchPlanner {
    let files: any FileSystem
    private var folders: [PathKey: String] = [:]

    init(files: any FileSystem) { self.files = files }

    /// The items of a run that replaces its inputs.
    ///
    /// Two names of one file are one item: the second is a problem of its own.
    ///
    /// - Parameter isForced: whether a file with several names is replaced under one of them.
    mutating func planInPlace(_ inputs: [BatchInput], isForced: Bool = false) -> [BatchItem] {
        var seen: [[UInt64]: String] = [:]
        return inputs.enumerated().map { index, input in
            var item = BatchItem(index: index, input: input, output: input.path, isInPlace: true)
            guard let facts = input.facts, facts.kind == .file else {
                item.problem = MediaError(
                    .badArgument, "\(input.path.printable) is not a file that can be replaced")
                return item
            }
            do throws(MediaError) {
                item.output = try files.resolve(input.path)
            } catch {
                item.problem = error
                return item
            }
            if let folder = input.folder, !PathText.lies(item.output, below: resolved(folder)) {
                item.note = "is a link to \(item.output.printable), outside of \(folder.printable)"
                return item
            }
            if let first = seen[facts.identity] {
                let message = "is another name of \(first.printable)"
                if input.folder != nil {
                    item.note = message
                } else {
                    item.problem = MediaError(
                        .badArgument, "\(input.path.printable) \(message)")
                }
            } else if facts.links > 1, !isForced {
                item.problem = MediaError(
                    .badArgument,
                    "\(input.path.printable) has \(facts.links) names (hard links), and the other "
                        + "ones would keep the old contents; write it elsewhere with --output, or "
                        + "replace it under this name with --force")
            }
            seen[facts.identity] = input.path
            return item
        }
    }

    /// The items of a run that writes elsewhere.
    ///
    /// - Throws: `bad-argument` where two inputs have one output, or an output is an input.
    mutating func plan(
        _ inputs: [BatchInput], _ template: OutputTemplate
    ) throws(MediaError) -> [BatchItem] {
        var sources: [PathKey: Int] = [:]
        var identities: [[UInt64]: Int] = [:]
        for (index, input) in inputs.enumerated() {
            guard let facts = input.facts else { continue }
            sources[canonical(input.path)] = index
            identities[facts.identity] = index
        }
        var taken: [PathKey: Int] = [:]
        var items: [BatchItem] = []
        items.reserveCapacity(inputs.count)
        for (index, input) in inputs.enumerated() {
            let output = template.path(for: input, index: index + 1)
            let place = canonical(output)
            if let other = taken[place] {
                throw MediaError(
                    .badArgument,
                    "\(inputs[other].path.printable) and \(input.path.printable) would both become "
                        + "\(output.printable); tell them apart in the output template, "
                        + "with {ext}, {rel} or {index}")
            }
            taken[place] = index
            var item = BatchItem(index: index, input: input, output: output)
            var facts: FileFacts?
            do throws(MediaError) {
                facts = try files.facts(of: output)
            } catch {
                item.problem = error
            }
            if let hit = sources[place] ?? facts.flatMap({ identities[$0.identity] }) {
                throw MediaError(
                    .outputExists,
                    "the output of \(input.path.printable), \(output.printable), is the input "
                        + "\(inputs[hit].path.printable); choose another output template, or "
                        + "replace the inputs with --in-place")
            }
            if facts?.kind == .folder {
                item.problem = MediaError(
                    .outputFailed, "write \(output.printable): a folder has that name")
            } else if facts?.kind == .other {
                item.problem = MediaError(
                    .outputFailed, "write \(output.printable): a device or a FIFO has that name")
            }
            items.append(item)
        }
        return items
    }

    /// Refuses a report whose name says no format, or that would overwrite an input, an output or
    /// the journal.
    mutating func check(
        report: String, journal: String, _ items: [BatchItem]
    ) throws(MediaError) {
        let place = canonical(report)
        guard place != canonical(journal) else {
            throw MediaError(
                .outputExists, "report \(report.printable): is the journal; choose another name")
        }
        for item in items
        where canonical(item.input.path) == place || canonical(item.output) == place {
            throw MediaError(
                .outputExists,
                "report \(report.printable): is an input or an output; choose another name")
        }
        let isNamed = ["json", "csv"].contains(PathText.loweredExtension(of: report))
        if !isNamed, !report.hasPrefix("/dev/"), try files.facts(of: report)?.kind != .other {
            throw MediaError(
                .badArgument,
                "report \(report.printable): the name must end in .json or .csv, which says what is "
                    + "written")
        }
    }

    /// One text for all paths that lead to one file, links in folders followed.
    private mutating func canonical(_ path: String) -> PathKey {
        let path = PathText.tidied(path)
        return PathKey(
            PathText.join(resolved(PathText.folder(of: path)), PathText.name(of: path)))
    }

    private mutating func resolved(_ folder: String) -> String {
        if let known = folders[PathKey(folder)] { return known }
        var result = folder
        if let found = try? files.resolve(folder.isEmpty ? "." : folder) {
            result = found
        } else if !folder.isEmpty, folder != "/" {
            // Not there yet: what is above it is, somewhere.
            let name = PathText.name(of: folder)
            result = PathText.join(resolved(PathText.folder(of: folder)), name)
        }
        folders[PathKey(folder)] = result
        return result
    }
}
