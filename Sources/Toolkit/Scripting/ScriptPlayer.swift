// A player in the hands of a script: its listeners, observers and hooks.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel
internal import Playback

/// The handle of a player.
///
/// Threading: confined to the script's thread; what the player posts goes through the mailbox.
final class ScriptPlayer: LuaObject {
    static let luaName = "mk.Player"
    /// The most players that one script may have open at a time.
    static let most = 32

    let id: Int
    private(set) var player: Player
    private(set) var options: Options
    private var listeners: [(number: Int, event: String, callback: LuaCallback)] = []
    private var hooks: [(hook: PlayerHook, callback: LuaCallback)] = []
    private let mailbox: Mailbox<ScriptMessage>
    private let registry: PluginRegistry
    private let files: any FileSystem
    private var sinkOptions: [String: OptionValue]
    private var subscription: EventBus<PlayerEvent>.Subscription?
    private(set) var isClosed = false
    /// What opens a medium, or has.
    var opening: ScriptJob?
    /// The opening that `stop` ended, though it may not have told so yet.
    private weak var stoppedOpening: ScriptJob?
    private var asksForBackups = false
    /// The number of what `mk.on_backup_url` set among the handlers of hooks.
    private static let backupHandler = -1

    init(
        _ options: Options, sinkOptions: [String: OptionValue], _ context: ScriptContext
    ) throws(MediaError) {
        id = context.number()
        self.options = options
        self.sinkOptions = sinkOptions
        mailbox = context.mailbox
        registry = context.setting.registry
        files = context.setting.files
        player = try ScriptPlayer.make(options, sinkOptions, registry, files)
        listen()
        if context.backupCallback != nil { askForBackups() }
    }

    var luaText: String { "player \(id) (\(player.snapshot.status.rawValue))" }

    /// Whether it goes on by itself and may call back.
    var isActive: Bool {
        let snapshot = player.snapshot
        switch snapshot.state {
        case .opening: return true
        case .buffering, .ready: return snapshot.intent.wantsToPlay
        case .ended: return snapshot.intent.playsAgain
        case .idle, .failed: return false
        }
    }

    /// Whether there is nothing to wait for: what was opened has ended, failed, or was stopped.
    var isOver: Bool {
        // The engine may not have heard of it yet, and still tell of the medium before.
        if let opening, opening.outcome == nil { return false }
        let snapshot = player.snapshot
        switch snapshot.state {
        case .idle: return snapshot.intent.isStopped
        case .ended: return !snapshot.intent.playsAgain
        case .failed: return true
        case .opening, .buffering, .ready: return isClosed
        }
    }

    /// Puts a player of other options in its place; only while nothing is open.
    func configure(
        _ changed: Options, sinkOptions: [String: OptionValue]?, _ context: ScriptContext
    ) throws(MediaError) {
        guard !isClosed else { throw ScriptPlayer.closed }
        guard player.snapshot.state == .idle, !mayBecomeOpen else {
            throw MediaError(
                .invalidState, "a player can't be set up anew while a medium is open; stop it first"
            )
        }
        let sinkOptions = sinkOptions ?? self.sinkOptions
        let next = try ScriptPlayer.make(changed, sinkOptions, registry, files)
        do throws(MediaError) {
            try next.use(player.snapshot.filters)
        } catch {
            next.close()
            throw error
        }
        subscription?.cancel()
        player.close()
        player = next
        options = changed
        self.sinkOptions = sinkOptions
        listen()
        for (number, entry) in hooks.enumerated() { place(entry.hook, number) }
        if asksForBackups { place(.backupURL, ScriptPlayer.backupHandler) }
        for observation in context.observations.values where observation.player === self {
            try observation.begin(on: next, mailbox)
        }
    }

    /// Calls `callback` at each event of this name.
    func on(_ event: String, _ callback: LuaCallback, _ context: ScriptContext) -> Subscription {
        let number = context.number()
        listeners.append((number, event, callback))
        return Subscription { [weak self] in
            self?.listeners.removeAll { $0.number == number }
        }
    }

    /// Calls `callback` at a hook.
    func add(_ hook: PlayerHook, _ callback: LuaCallback) {
        hooks.append((hook, callback))
        place(hook, hooks.count - 1)
    }

    /// Asks the script for other URLs from now on.
    func askForBackups() {
        guard !isClosed, !asksForBackups else { return }
        asksForBackups = true
        place(.backupURL, ScriptPlayer.backupHandler)
    }

    /// Ends the medium; the engine has heard of it then.
    func stop() {
        player.stop()
        stoppedOpening = opening
    }

    /// Whether something is to be opened that the engine may not have come to.
    private var mayBecomeOpen: Bool {
        guard let opening, opening !== stoppedOpening else { return false }
        return opening.outcome == nil
    }

    /// Ends the player and its threads.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        subscription?.cancel()
        player.close()
        listeners = []
        hooks = []
    }

    /// Hands an event to the script.
    func receive(_ event: PlayerEvent, _ context: ScriptContext) {
        let name = event.name
        for listener in listeners where listener.event == name {
            // One before it may have cancelled it, or closed the player.
            guard listeners.contains(where: { $0.number == listener.number }) else { continue }
            context.invoke(listener.callback) { stack in
                ScriptEvent(name: name, player: self, fields: event.payload).push(to: stack)
                return 1
            }
        }
    }

    /// Lets the script decide at a hook.
    func meet(_ request: HookRequest, handler: Int, _ context: ScriptContext) {
        if handler == ScriptPlayer.backupHandler { return context.offerBackup(request) }
        guard hooks.indices.contains(handler) else { return request.proceed() }
        let hook = ScriptHook(request)
        context.invoke(hooks[handler].callback) { stack in
            hook.push(to: stack)
            return 1
        }
        if hook.isDeferred, !hook.isDone {
            context.deferredHooks.removeAll { $0.isDone }
            context.deferredHooks.append(hook)
        } else {
            hook.proceed()
        }
    }

    static let closed = MediaError(.invalidState, "the player is closed")

    private static func make(
        _ options: Options, _ sinkOptions: [String: OptionValue], _ registry: PluginRegistry,
        _ files: any FileSystem
    ) throws(MediaError) -> Player {
        var configuration = try PlayerConfiguration(options)
        configuration.sinkOptions = sinkOptions
        return try Player(registry: registry, configuration: configuration, files: files)
    }

    private func listen() {
        let (id, mailbox) = (id, mailbox)
        subscription = player.events.subscribe { mailbox.post(.event(player: id, $0)) }
    }

    private func place(_ hook: PlayerHook, _ number: Int) {
        let (id, mailbox) = (id, mailbox)
        player.addHook(hook) { request in
            let message = ScriptMessage.hook(player: id, handler: number, request)
            if !mailbox.post(message) { request.proceed() }
        }
    }
}

/// Ends a series of calls.
final class Subscription: LuaObject {
    static let luaName = "mk.Subscription"
    private var end: (() -> Void)?

    init(_ end: @escaping () -> Void) { self.end = end }

    func cancel() {
        end?()
        end = nil
    }
}

/// One stop at a hook, as the script sees it.
final class ScriptHook: LuaObject {
    static let luaName = "mk.Hook"

    let request: HookRequest
    /// The URL the script put in place; nil where it left it.
    var changed: String?
    private(set) var isDeferred = false
    private(set) var isDone = false

    init(_ request: HookRequest) { self.request = request }

    var url: String { changed ?? request.url }
    var luaText: String { "hook \(request.hook.rawValue)" }

    /// Holds the player up beyond the end of the callback.
    func putOff() { isDeferred = true }

    /// Lets the player go on; later calls do nothing.
    func proceed() {
        guard !isDone else { return }
        isDone = true
        request.proceed(url: changed)
    }
}

/// The table a listener gets.
struct ScriptEvent {
    let name: String
    let player: ScriptPlayer
    let fields: JSON

    func push(to stack: LuaStack) {
        guard case .object(let members) = fields, stack.pushTable(fields: members.count + 2) else {
            return stack.pushNil()
        }
        stack.setField("name") { stack.push(name) }
        stack.setField("player") { player.push(to: stack) }
        for member in members where member.value != .null {
            stack.setField(member.name) { LuaValue(facts: member.value).push(to: stack) }
        }
    }
}
