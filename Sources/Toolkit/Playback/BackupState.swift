// What the engine knows of other URLs for the medium it plays.

internal import MediaCore
internal import MediaModel

/// The URLs that were tried since the last call of `open`, and what is asked at the moment.
struct BackupState {
    /// Why another URL is wanted, and what becomes of the medium without one.
    enum Cause {
        /// Nothing decodes the pictures, which was found before anything was decoded.
        case unsupported(MediaInfo)
        /// The decoder of the pictures has failed.
        case failed
        /// Pictures come too slowly.
        case late
    }

    /// A hook that is waited for.
    struct Question {
        var cause: Cause
        var reason: MediaError
        var codec: String
        var number = 0
        /// Where to look for the next handler.
        var next = 0
        var deadline = MediaTime.zero
    }

    /// A time in which pictures came late, or not at all, again and again.
    struct Spell {
        /// How long nothing may be late before it is over.
        static let rest = MediaTime(seconds: 2)
        /// What part of real time is fast enough.
        static let least = 0.9

        var stream: Int
        var since: MediaTime
        /// Where the pictures were at its beginning.
        var position: MediaTime
        var last: MediaTime
    }

    /// What is open.
    var url = ""
    /// What was opened.
    var used: Set<String> = []
    /// What another URL was asked for.
    var asked: Set<String> = []
    var question: Question?
    var spell: Spell?
}
