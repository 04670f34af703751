// The list of everything that is fuzzed.

/// One thing that reads bytes it did not write; `run` must return, whatever they are.
struct FuzzTarget: Sendable {
    /// What the command line and the seeds' folder call it.
    let name: String
    /// Reads one input; a trap or a failed `precondition` is a finding.
    let run: @Sendable (UnsafeBufferPointer<UInt8>) -> Void
}

enum FuzzTargets {
    static let all = [
        jsonTarget, optionsTarget, chainTarget, filtersTarget, journalTarget, licenceTarget,
        luaTarget,
    ]

    /// The target named by the first argument.
    static let chosen = all.first { CommandLine.arguments.dropFirst().first == $0.name }
}
