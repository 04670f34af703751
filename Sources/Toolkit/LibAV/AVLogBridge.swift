// FFmpeg's log lines into the toolkit's, and the last of them into error messages.

internal import CFFmpeg
internal import Glibc
internal import MediaCore
internal import Synchronization

/// The one receiver of `av_log`, which is global to the process.
///
/// Lines go to the category `libav`. What FFmpeg calls an error is often something it recovers from,
/// so errors show from the level `info` on, the rest from `debug` and `trace` on. Lines that come in
/// pieces are joined. Thread-safety: safe.
public enum AVLogBridge {
    private struct Thread {
        /// The beginning of a line that hasn't ended.
        var partial = ""
        /// Complaints since `collecting` began; nil outside.
        var complaints: [String]?
    }

    private static let threads = Mutex<[UInt: Thread]>([:])

    private static let installed: Void = {
        av_log_set_callback { object, level, format, arguments in
            guard AVLogBridge.wants(level), let format, let arguments else { return }
            var printsPrefix: Int32 = AVLogBridge.isInsideLine ? 0 : 1
            let text = String(capacity: 2048) {
                av_log_format_line2(
                    object, level, format, arguments, $0, Int32($1), &printsPrefix)
            }
            AVLogBridge.take(text, level)
        }
    }()

    /// Directs FFmpeg's lines here; only the first call does something.
    public static func install() { _ = installed }

    /// Runs `body` and gives what FFmpeg complained of meanwhile on this thread.
    static func collecting<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> (result: Result, complaints: [String]) {
        install()
        let thread = UInt(pthread_self())
        threads.withLock { $0[thread, default: Thread()].complaints = [] }
        defer { threads.withLock { $0[thread] = nil } }
        let result = try body()
        let complaints = threads.withLock { $0[thread]?.complaints ?? [] }
        return (result, complaints)
    }

    private static var isInsideLine: Bool {
        let thread = UInt(pthread_self())
        return threads.withLock { $0[thread]?.partial.isEmpty == false }
    }

    private static func wants(_ level: Int32) -> Bool {
        level <= AV_LOG_ERROR || shownLevel(level) <= Log.level
    }

    private static func shownLevel(_ level: Int32) -> Log.Level {
        switch level {
        case ...AV_LOG_ERROR: .info
        case ...AV_LOG_INFO: .debug
        default: .trace
        }
    }

    private static func take(_ piece: String, _ level: Int32) {
        let thread = UInt(pthread_self())
        let lines = threads.withLock { threads -> [String] in
            var state = threads[thread] ?? Thread()
            var lines = (state.partial + piece).split(
                separator: "\n", omittingEmptySubsequences: false
            ).map { String($0).trimmingTrailingBlanks }
            state.partial = lines.popLast() ?? ""
            lines.removeAll(where: \.isEmpty)
            if level <= AV_LOG_ERROR { state.complaints?.append(contentsOf: lines) }
            threads[thread] = state.partial.isEmpty && state.complaints == nil ? nil : state
            return lines
        }
        for line in lines { Log.write(shownLevel(level), "libav", line) }
    }
}

extension String {
    fileprivate var trimmingTrailingBlanks: String {
        var text = self[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// A log line without the `[name @ 0x55…]` in front.
    var withoutLogPrefix: String {
        var text = self[...]
        while text.first == "[", let end = text.firstIndex(of: "]"),
            text[..<end].contains(" @ ")
        {
            text = text[text.index(after: end)...].drop { $0 == " " }
        }
        return String(text)
    }
}
