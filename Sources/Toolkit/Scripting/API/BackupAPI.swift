// Another URL for what can't be decoded well: one function for all players of a script.

internal import LuaRuntime
internal import MediaCore
internal import Playback

extension ScriptAPI {
    static let backup = LuaFunction<ScriptContext>(
        "on_backup_url",
        "Sets the function that names another URL where a player can't decode pictures, or for "
            + "`backup_after_late` seconds not fast enough. Playback goes on there at the same "
            + "position, with the event `switch_to_backup_url`. Where it gives nil or "
            + "takes longer than `hook_timeout`, the player fails with the error it had, or plays on "
            + "where it is only late. Each URL is asked for once and tried once.",
        Param<LuaCallback?>(
            "fn",
            "Gets who asks (`player`; `loader` is kept for preloading), the codec (`h265`, `vvc`, or "
                + "FFmpeg's name) and the URL; nil to ask nobody.",
            type: "fun(scene: string, codec: string, url: string): (string|nil)"),
        returns: [],
        example: """
            local backups = { ["film-h265.mp4"] = "film-h264.mp4" }
            mk.on_backup_url(function(scene, codec, url)
              print(scene .. " can't decode " .. codec)
              return backups[url]
            end)
            """
    ) { (context, callback) throws(MediaError) in
        context.backupCallback = callback
        for player in context.players.values { player.askForBackups() }
        return LuaNothing()
    }
}

extension ScriptContext {
    /// Lets the script name another URL.
    func offerBackup(_ request: HookRequest) {
        guard let callback = backupCallback else { return request.proceed() }
        var url: String?
        do throws(LuaError) {
            let answer: Result<String?, MediaError> = try state.call(callback.reference) { stack in
                stack.push("player")
                stack.push(ScriptContext.word(codec: request.codec ?? ""))
                stack.push(request.url)
                return 3
            } _: { stack, first in
                do throws(MediaError) {
                    guard first <= stack.count else { return .success(nil) }
                    return .success(try String?.read(stack, at: first))
                } catch {
                    return .failure(error)
                }
            }
            url = try allowed(answer)
        } catch {
            fail(error)
        }
        request.proceed(url: url)
    }

    /// The URL where the script may open it.
    private func allowed(_ answer: Result<String?, MediaError>) throws(LuaError) -> String? {
        do throws(MediaError) {
            guard let url = try answer.get() else { return nil }
            try setting.permissions.open(url)
            return url
        } catch {
            throw LuaError(kind: .runtime, message: "mk.on_backup_url: \(error.message)")
        }
    }

    /// What scripts call a codec.
    private static func word(codec: String) -> String { codec == "hevc" ? "h265" : codec }
}
