// Changes of a running chain, handed from the engine's thread to the chain's.

package import MediaCore
package import MediaModel
internal import Synchronization

/// A change of a running chain; places are named by number, because labels may come and go.
package enum ChainCommand: Sendable {
    /// Puts a filter before the slot `before`, or at the end.
    case insert(FilterSpec, id: Int, before: Int?)
    /// Takes the filter of a slot out.
    case remove(id: Int)
    /// Lets sound pass the filter, or go past it.
    case setEnabled(Bool, id: Int)
    /// Changes options; those that are not named stay as they are.
    case update([String: OptionValue], id: Int)
}

/// What a running chain reports.
package enum ChainReport: Sendable {
    /// Options that keep their value, with the reasons: what the filter was to be, and what it is.
    case ignored(id: Int, FilterSpec, running: FilterSpec, [String])
    /// A change that could not be made: what the filter was to be, and what runs in its place.
    case failed(id: Int, FilterSpec, running: FilterSpec?, MediaError)
    /// The format behind the chain is another.
    case format(AudioFormat)
    /// Rate or number of channels are changed behind the last filter, because what comes next takes
    /// no others.
    case converted(from: AudioFormat, to: AudioFormat)
}

/// Carries commands to the thread of a chain.
///
/// Thread-safety: safe.
package final class ChainControl: Sendable {
    private let commands = Mutex<[ChainCommand]>([])

    /// Makes a control without commands.
    package init() {}

    /// Hands a command over; it takes effect at the next frame.
    package func post(_ command: ChainCommand) { commands.withLock { $0.append(command) } }

    /// Takes all commands, oldest first.
    package func take() -> [ChainCommand] {
        commands.withLock { commands in
            guard !commands.isEmpty else { return [] }
            defer { commands = [] }
            return commands
        }
    }
}
