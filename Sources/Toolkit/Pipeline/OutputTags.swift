// Which tags of an input its output gets, and where it keeps them.

internal import MediaCore
internal import MediaModel

/// The tags of an output, changed step by step from those of its input.
struct OutputTags {
    /// The tags of the whole.
    private(set) var container: [MetadataEntry]
    /// The streams with their tags, by index.
    private(set) var streams: [Int: StreamInfo] = [:]

    /// Takes all tags.
    ///
    /// Ogg keeps those of the whole with its stream of sound: they go to where other containers keep
    /// them. Into Ogg, FFmpeg's muxer moves them the other way.
    init(_ info: MediaInfo, facts: ContainerFacts) {
        container = info.metadata
        keepBroadcastFacts(facts)
        for stream in info.streams { streams[stream.index] = stream }
        let timed = info.streams.filter { !$0.isAttachedPicture }
        guard info.containerName == "ogg",
            !["ogg", "oga", "ogv", "opus", "spx"].contains(facts.name),
            timed.count == 1, let sound = timed.first, sound.kind == .audio
        else { return }
        let isOfStream = { (entry: MetadataEntry) in
            ["language", "encoder"].contains(entry.name.lowercased())
        }
        let known = Set(container.map { $0.name.lowercased() })
        container += sound.metadata.filter { entry in
            !isOfStream(entry) && !known.contains(entry.name.lowercased())
        }
        streams[sound.index]?.metadata = sound.metadata.filter(isOfStream)
    }

    /// Gives the facts of a broadcast the names that the muxer of WAV knows them by.
    ///
    /// FFmpeg's demuxer gives them names that other containers use too; a time of day is no date
    /// there, and muxers would complete it with the day on which they run.
    private mutating func keepBroadcastFacts(_ facts: ContainerFacts) {
        if let place = container.firstIndex(where: { $0.name.lowercased() == "creation_time" }),
            !container[place].value.contains("-")
        {
            container[place] = MetadataEntry("origination_time", container[place].value)
        }
        guard facts.name == "wav", container.isOfBroadcast else { return }
        let names = [
            "comment": "description", "encoded_by": "originator", "date": "origination_date",
        ]
        let known = Set(container.map { $0.name.lowercased() })
        container += container.compactMap { entry in
            guard let name = names[entry.name.lowercased()], !known.contains(name) else {
                return nil
            }
            return MetadataEntry(name, entry.value)
        }
    }

    /// Moves the place of a broadcast's first sample, which counts samples since midnight.
    mutating func moveReference(by start: MediaTime, rate: Int) {
        for place in container.indices where container[place].name == "time_reference" {
            guard let old = Int64(container[place].value) else { continue }
            let moved = old.addingReportingOverflow(TimeBase(1, Int32(clamping: rate)).ticks(start))
            if !moved.overflow {
                container[place] = MetadataEntry("time_reference", String(moved.partialValue))
            }
        }
    }

    /// Drops what counts the packets of the input's stream, as Matroska's writers do.
    mutating func dropStatistics(_ index: Int) {
        streams[index]?.metadata.removeAll { entry in
            // A language may follow: `BPS-eng`.
            let name = entry.name.uppercased().split(separator: "-").first ?? ""
            return ["BPS", "DURATION", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES"].contains(name)
                || name.hasPrefix("_STATISTICS_")
        }
    }

    /// Drops what tells how loud the input was.
    mutating func dropLoudness(_ index: Int) {
        let isLoudness = { (entry: MetadataEntry) in
            let name = entry.name.lowercased()
            return ["replaygain_", "r128_", "mp3gain_", "itunnorm"].contains { name.hasPrefix($0) }
        }
        container.removeAll(where: isLoudness)
        streams[index]?.metadata.removeAll(where: isLoudness)
        streams[index]?.dropReplayGain()
    }
}
