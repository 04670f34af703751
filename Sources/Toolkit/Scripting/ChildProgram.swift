// Another program, run to its end with its output kept.

internal import Glibc
internal import LuaRuntime
internal import MediaCore

/// What a program did.
struct ChildProgram: LuaFacts, Sendable {
    /// The exit status; 128 and the signal's number where one ended it.
    var status: Int
    /// What it wrote on standard output.
    var output: FileText
    /// What it wrote on standard error.
    var errors: FileText

    static let luaName = "mk.ProgramResult"
    static let luaSummary = "How a program ended and what it wrote."
    static let luaFields: [LuaFact<ChildProgram>] = [
        LuaFact("status", \.status, "Its exit status; 128 and more where a signal ended it."),
        LuaFact("output", \.output, "What it wrote on standard output."),
        LuaFact("errors", \.errors, "What it wrote on standard error."),
    ]

    /// Runs a program with nothing on its standard input; blocks until it ends.
    ///
    /// - Throws: `not-found`, `permission-denied`; `cancelled` after it was ended by SIGKILL.
    static func run(
        _ program: String, _ arguments: [String], outputLimit: Int,
        cancellation: CancellationToken
    ) throws(MediaError) -> ChildProgram {
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
        let (output, errors, isWhole) = gather(out[0], err[0], outputLimit, cancellation)
        if !isWhole { kill(child, SIGKILL) }
        // Its output may be closed before it ends: it is still waited for, and still cancelled.
        var ending: Int32 = 0
        while waitpid(child, &ending, WNOHANG) == 0 {
            if cancellation.isCancelled { kill(child, SIGKILL) }
            usleep(2000)
        }
        try cancellation.check()
        if !isWhole {
            throw MediaError(
                .badArgument, "run \(program.printable): it writes more than the script's memory")
        }
        let signal = ending & 0x7F
        return ChildProgram(
            status: Int(signal == 0 ? (ending >> 8) & 0xFF : 128 + signal),
            output: FileText(bytes: output), errors: FileText(bytes: errors))
    }

    /// Reads both pipes to their ends; not whole where it was cancelled or too much.
    private static func gather(
        _ out: Int32, _ err: Int32, _ limit: Int, _ cancellation: CancellationToken
    ) -> (output: [UInt8], errors: [UInt8], isWhole: Bool) {
        var contents: [[UInt8]] = [[], []]
        var open = [
            pollfd(fd: out, events: Int16(POLLIN), revents: 0),
            pollfd(fd: err, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while open.contains(where: { $0.fd >= 0 }) {
            if cancellation.isCancelled { return (contents[0], contents[1], false) }
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
