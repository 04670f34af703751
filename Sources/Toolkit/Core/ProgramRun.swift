// Another program, run to its end with its output kept.

internal import Glibc

/// What a program did.
public struct ProgramRun: Sendable {
    /// How it ended.
    public enum Ending: Hashable, Sendable {
        /// By itself, with this status.
        case exited(Int)
        /// By this signal.
        case signalled(Int)
        /// By SIGKILL, because the deadline had come.
        case timedOut
    }

    /// How it ended.
    public var ending: Ending
    /// What it wrote on standard output.
    public var output: [UInt8]
    /// What it wrote on standard error.
    public var errors: [UInt8]

    /// Runs a program with nothing on its standard input; blocks until it ends.
    ///
    /// - Parameters:
    ///   - program: a path, or a name that is looked for in PATH.
    ///   - outputLimit: how many bytes it may write; 0 for any number.
    ///   - deadline: when it is ended by SIGKILL; nil for never.
    /// - Throws: `not-found`, `permission-denied`; `bad-argument` where it writes more than it may;
    ///   `cancelled` after it was ended by SIGKILL.
    public static func run(
        _ program: String, _ arguments: [String], outputLimit: Int = 0,
        until deadline: MediaTime? = nil, cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) -> ProgramRun {
        var out: [Int32] = [-1, -1]
        var err: [Int32] = [-1, -1]
        // Socket pairs, because they can be closed on exec from the start.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &out) == 0 else {
            throw .system(errno, "run \(program.printable)")
        }
        guard socketpair(AF_UNIX, kind, 0, &err) == 0 else {
            let number = errno
            for end in out { close(end) }
            throw .system(number, "run \(program.printable)")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, out[1], 1)
        posix_spawn_file_actions_adddup2(&actions, err[1], 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { word in
            word.withOSPath { strdup($0) }
        }
        words.append(nil)
        var child = pid_t()
        let status = program.withOSPath { name in
            posix_spawnp(&child, name, &actions, &attributes, words, environ)
        }
        for word in words { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        close(out[1])
        close(err[1])
        defer {
            close(out[0])
            close(err[0])
        }
        if status != 0 { throw .system(status, "run \(program.printable)") }
        let isLate = { deadline.map { SystemTimeSource().now >= $0 } ?? false }
        let (output, errors, isWhole) = gather(out[0], err[0], outputLimit) {
            cancellation.isCancelled || isLate()
        }
        if !isWhole { kill(child, SIGKILL) }
        // Its output may be closed before it ends: it is still waited for, and still ended.
        var raw: Int32 = 0
        while waitpid(child, &raw, WNOHANG) == 0 {
            if cancellation.isCancelled || isLate() { kill(child, SIGKILL) }
            usleep(2000)
        }
        try cancellation.check()
        let signal = Int(raw & 0x7F)
        if isLate(), !isWhole || signal == SIGKILL {
            return ProgramRun(ending: .timedOut, output: output, errors: errors)
        }
        if !isWhole {
            throw MediaError(
                .badArgument, "run \(program.printable): it writes more than \(outputLimit) bytes")
        }
        return ProgramRun(
            ending: signal == 0 ? .exited(Int((raw >> 8) & 0xFF)) : .signalled(signal),
            output: output, errors: errors)
    }

    /// Reads both pipes to their ends; not whole where it was to be ended or too much.
    private static func gather(
        _ out: Int32, _ err: Int32, _ limit: Int, isOver: () -> Bool
    ) -> (output: [UInt8], errors: [UInt8], isWhole: Bool) {
        var contents: [[UInt8]] = [[], []]
        var open = [
            pollfd(fd: out, events: Int16(POLLIN), revents: 0),
            pollfd(fd: err, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while open.contains(where: { $0.fd >= 0 }) {
            if isOver() { return (contents[0], contents[1], false) }
            if poll(&open, 2, 50) < 0, errno != EINTR { break }
            for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
                let count = read(open[index].fd, &buffer, buffer.count)
                if count > 0 {
                    contents[index] += buffer[..<count]
                } else if count == 0 || errno != EINTR {
                    open[index].fd = -1
                }
            }
            if limit > 0, contents[0].count + contents[1].count > limit {
                return (contents[0], contents[1], false)
            }
        }
        return (contents[0], contents[1], true)
    }
}
