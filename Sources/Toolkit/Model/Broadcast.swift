// Which tags are those of a broadcast WAV.

extension [MetadataEntry] {
    /// Whether they have what only the chunk `bext` of a broadcast WAV says, by FFmpeg's names.
    ///
    /// - Source: EBU Tech 3285.
    package var isOfBroadcast: Bool {
        contains {
            ["time_reference", "coding_history", "originator_reference", "umid"]
                .contains($0.name.lowercased())
        }
    }
}
