// The files of an album, and what earlier runs settled and changed of them.

internal import MediaCore

/// A group of files that shares one gain, as a journal knows it.
///
/// The group is one programme: its gain holds for exactly these files. What was made with another
/// gain is done again; where the inputs themselves were replaced, that can't be undone.
struct AlbumGroup {
    /// The digest of recipe and inputs, as they were before any of them was replaced.
    let key: String
    /// The places of the items that an earlier run replaced.
    let replaced: Set<Int>
    /// What holds for the group; nil where all files must be looked at first.
    let settled: JournalAlbum?

    /// Looks the group up.
    ///
    /// - Parameter isAnew: whether what was replaced counts as an input like any other.
    init(_ items: [BatchItem], recipe: String, _ contents: JournalContents, isAnew: Bool) {
        var text = recipe
        var replaced: Set<Int> = []
        for item in items {
            var source = FileStamp(item.input.facts)
            if item.isInPlace, !isAnew, let entry = contents.replacement(source) {
                source = entry.source
                replaced.insert(item.index)
            }
            text += "\n\(PathText.name(of: item.input.path))\n\(source.size) \(source.modified)"
        }
        key = Checksum.fnv128(text.utf8)
        self.replaced = replaced
        let known = contents.albums[key]
        // What could not be measured then is perhaps whole now, and belongs to the programme.
        settled = known?.unusable.isEmpty == false && replaced.isEmpty ? nil : known
    }

    /// The recipe of the group's files, of which the shared plan is a part.
    static func recipe(_ recipe: String, _ plan: JSON) -> String {
        Checksum.fnv128("\(recipe)\n\(plan.description)".utf8)
    }
}

extension BatchRun {
    /// Settles what the group shares, by what an earlier run did or by a look at all files, and
    /// gives the recipe of its files.
    ///
    /// - Throws: `invalid-state` where files were replaced that belonged to another group.
    func settle(
        _ items: inout [BatchItem], _ contents: JournalContents, _ onEvent: (BatchEvent) -> Void
    ) throws(MediaError) -> String {
        let group = AlbumGroup(
            items, recipe: recipe, contents, isAnew: request.repeatsFinished)
        if let album = group.settled, processor.restore(album.plan) {
            for index in album.unusable where items.indices.contains(index) {
                let path = items[index].input.path.printable
                items[index].problem =
                    items[index].problem
                    ?? MediaError(
                        .invalidState,
                        "\(path) could not be measured when the gain of its album was settled, and "
                            + "other files were replaced since; --force measures and filters all "
                            + "of them anew")
            }
            return AlbumGroup.recipe(recipe, album.plan)
        }
        if let first = group.replaced.min() {
            let rest = items.filter {
                !group.replaced.contains($0.index) && $0.problem == nil && $0.note == nil
            }
            guard let new = rest.first else { return recipe }
            throw MediaError(
                .invalidState,
                "album: \(items[first].input.path.printable) was replaced with the gain of other "
                    + "files than these, without \(new.input.path.printable) or before it "
                    + "changed; one gain for all needs the old files back, or --force, which "
                    + "filters all of them anew")
        }
        let unusable = survey(items.filter { $0.note == nil }, onEvent)
        guard !cancellation.isCancelled else { return recipe }
        for index in items.indices {
            items[index].problem = items[index].problem ?? unusable[items[index].index]
        }
        let quiet = ProcessorContext(
            cancellation: cancellation, isAlone: true, progress: { _, _, _ in })
        let plan: JSON
        do throws(MediaError) {
            plan = try processor.settle(
                items.filter { $0.problem == nil && $0.note == nil }, quiet)
        } catch {
            // As in the survey: nothing more is begun, and each file says so.
            if error.code == .cancelled, cancellation.isCancelled { return recipe }
            throw error
        }
        let album = JournalAlbum(key: group.key, plan: plan, unusable: unusable.keys.sorted())
        try journal.append([.album(album)], isSynced: true)
        return AlbumGroup.recipe(recipe, plan)
    }

    /// Lets the processor see all files; gives those that can't be used.
    private func survey(
        _ items: [BatchItem], _ onEvent: (BatchEvent) -> Void
    ) -> [Int: MediaError] {
        let failures = Monitor<[Int: MediaError]>([:])
        let pool = makePool(items.count)
        let isAlone = pool.threadCount == 1 && WorkerPool.cores > 1
        pool.run(
            ItemQueue(items),
            { item in
                do throws(MediaError) {
                    if let problem = item.problem { throw problem }
                    try processor.survey(item, pool.context(index: item.index, isAlone: isAlone))
                } catch {
                    failures.withLock { $0[item.index] = error }
                }
            }, hear: onEvent)
        return failures.withLock { $0 }
    }
}
