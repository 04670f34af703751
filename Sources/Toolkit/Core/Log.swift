// Log levels, categories, and the one sink that lines go to.

internal import Glibc
internal import Synchronization

/// Where the toolkit says what it does.
///
/// Lines go to standard error as `category: message` unless a sink is set. Thread-safety: safe.
public enum Log {
    /// How much a line matters; a level shows itself and all that matter more.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        case quiet
        case error
        case warning
        case info
        case debug
        case trace

        private var order: Int { Level.allCases.firstIndex(of: self) ?? 0 }
        /// The one that matters more is less.
        public static func < (a: Level, b: Level) -> Bool { a.order < b.order }
    }

    /// Receives each line that passes the level.
    public typealias Sink = @Sendable (Level, _ category: String, _ message: String) -> Void

    private struct Settings {
        var level = Level.warning
        var sink: Sink?
    }

    private static let settings = Mutex(Settings())

    /// The least important level shown; `warning` at first.
    public static var level: Level {
        get { settings.withLock { $0.level } }
        set { settings.withLock { $0.level = newValue } }
    }

    /// Sends lines to `sink` instead of standard error; nil restores that.
    public static func setSink(_ sink: Sink?) { settings.withLock { $0.sink = sink } }

    /// Writes a line if `level` is shown.
    public static func write(
        _ level: Level, _ category: String, _ message: @autoclosure () -> String
    ) {
        let (shown, sink) = settings.withLock { ($0.level, $0.sink) }
        guard level <= shown, level != .quiet else { return }
        if let sink {
            sink(level, category, message())
        } else {
            let line = Array(
                "\(category): \(level == .warning ? "warning: " : "")\(message())\n".utf8)
            _ = line.withUnsafeBytes { writeWithoutSignal(2, $0.baseAddress, $0.count) }
        }
    }

    /// Writes what failed.
    public static func error(_ category: String, _ message: @autoclosure () -> String) {
        write(.error, category, message())
    }
    /// Writes what a user should know though work goes on.
    public static func warning(_ category: String, _ message: @autoclosure () -> String) {
        write(.warning, category, message())
    }
    /// Writes what was done.
    public static func info(_ category: String, _ message: @autoclosure () -> String) {
        write(.info, category, message())
    }
    /// Writes what a developer wants to see.
    public static func debug(_ category: String, _ message: @autoclosure () -> String) {
        write(.debug, category, message())
    }
}
