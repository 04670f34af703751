// Where a program may hold up a player and change its course.

public import MediaCore
internal import Synchronization

/// A moment at which the engine waits for a program.
public enum PlayerHook: String, CaseIterable, Sendable {
    /// Before a URL is opened.
    case beforeOpen = "before_open"
    /// After opening failed, before the player does.
    case openFailed = "open_failed"
    /// When pictures can't be decoded, or not fast enough.
    case backupURL = "backup_url"

    /// One sentence for people.
    public var summary: String {
        switch self {
        case .beforeOpen: "Runs before a URL is opened and may put another in its place."
        case .openFailed: "Runs when opening failed and may name another URL to try."
        case .backupURL:
            "Runs when pictures can't be decoded, or for `backup_after_late` not fast enough, and may "
                + "name another URL to go on with at the same position."
        }
    }
}

/// One stop at a hook; the engine goes on when `proceed` is called, or after the hook timeout.
///
/// Thread-safety: safe; the first `proceed` counts.
public final class HookRequest: Sendable {
    /// Which hook.
    public let hook: PlayerHook
    /// What is to be opened; at `backupURL`, what is open.
    public let url: String
    /// Why opening failed, or why another URL is wanted; nil before opening.
    public let error: MediaError?
    /// FFmpeg's name of the codec that is to blame: `hevc`, `vvc`, …; only at `backupURL`.
    public let codec: String?

    private let answer: Mutex<(@Sendable (String?) -> Void)?>

    init(
        hook: PlayerHook, url: String, error: MediaError?, codec: String? = nil,
        answer: @escaping @Sendable (String?) -> Void
    ) {
        self.hook = hook
        self.url = url
        self.error = error
        self.codec = codec
        self.answer = Mutex(answer)
    }

    /// Lets the engine go on, with another URL where one is given.
    public func proceed(url: String? = nil) {
        let first = answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
        first?(url)
    }

    deinit { answer.withLock { $0 }?(nil) }
}
