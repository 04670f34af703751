// What the engine is doing, apart from what the user wants.

public import MediaCore
public import MediaModel

/// The state of the engine; pausing is an intent, not a state.
public enum PlayerState: Hashable, Sendable {
    /// Nothing is open.
    case idle
    /// A medium is being opened.
    case opening
    /// Frames are waited for.
    case buffering
    /// Frames are there: they go out while playing is wanted.
    case ready
    /// Everything was played.
    case ended
    /// Playback failed; nothing is open any more.
    case failed(MediaError)

    /// `idle`, `opening`, `buffering`, `ready`, `ended` or `failed`.
    public var name: String {
        switch self {
        case .idle: "idle"
        case .opening: "opening"
        case .buffering: "buffering"
        case .ready: "ready"
        case .ended: "ended"
        case .failed: "failed"
        }
    }

    /// Whether the engine may go from this state to another.
    public func canBecome(_ next: PlayerState) -> Bool {
        switch (self, next) {
        case (.idle, .opening), (.opening, .buffering), (.buffering, .ready),
            (.ready, .buffering), (.ready, .ended), (.ended, .buffering):
            true
        case (.idle, .failed): false
        case (_, .failed): true
        case (.idle, .idle): false
        case (_, .idle): true
        default: false
        }
    }
}

/// What the user asked for, changed at once by each call.
public struct PlayerIntent: Hashable, Sendable {
    /// Whether playback should run.
    public var wantsToPlay = false
    /// Whether playback was asked for since the streams of the medium are known, so that it is paused
    /// where it is not.
    public var hasStarted = false
    /// Whether `stop` ended the last medium.
    public var isStopped = false
    /// Whether `play` was called after the end, and the engine has not come to it yet.
    public var playsAgain = false

    /// Nothing was asked for yet.
    public init() {}
}

/// The state as scripts and embedding programs see it.
public enum PlayerStatus: String, CaseIterable, Sendable {
    /// Nothing was opened yet.
    case idle
    /// A medium is being opened.
    case initialized
    /// A medium is open and was not played yet.
    case prepared
    /// It plays, or waits for frames to play on.
    case started
    /// It has played and is held.
    case paused
    /// `stop` ended the medium.
    case stopped
    /// Everything was played.
    case completion
    /// Playback failed.
    case error

    /// The table from engine state and intent to the public word.
    public init(_ state: PlayerState, _ intent: PlayerIntent) {
        switch (state, intent.isStopped, intent.wantsToPlay, intent.hasStarted) {
        case (.idle, true, _, _): self = .stopped
        case (.idle, false, _, _): self = .idle
        case (.opening, _, _, _): self = .initialized
        case (.buffering, _, true, _), (.ready, _, true, _): self = .started
        case (.buffering, _, false, true), (.ready, _, false, true): self = .paused
        case (.buffering, _, false, false), (.ready, _, false, false): self = .prepared
        case (.ended, _, _, _): self = .completion
        case (.failed, _, _, _): self = .error
        }
    }
}

/// Everything that can be asked of a player at one moment.
public struct PlayerSnapshot: Sendable {
    /// What the engine does.
    public var state = PlayerState.idle
    /// What the user wants.
    public var intent = PlayerIntent()
    /// Where playback is.
    public var position = MediaTime.zero
    /// What is open; nil while nothing is.
    public var info: MediaInfo?
    /// The filters that sound passes, with what was changed while playing.
    public var filters = FilterChain()
    /// How many calls of `play` and `pause` the engine has not come to yet.
    var unheardCalls = 0
    /// The streams that play, by kind.
    public var selected: [MediaKind: Int] = [:]
    /// How many decoded frames have gone out since the medium was opened, by kind.
    public var frames: [MediaKind: Int] = [:]

    /// Nothing is open.
    public init() {}

    /// The public word for state and intent.
    public var status: PlayerStatus { PlayerStatus(state, intent) }
    /// Remembers that the status is, and so has been, `started`.
    mutating func noteStart() { if status == .started { intent.hasStarted = true } }

    /// Whether frames are going to the sink.
    public var isPlaying: Bool { state == .ready && intent.wantsToPlay }
    /// How long the medium lasts; nil where unknown.
    public var duration: MediaTime? { info?.duration }
}
