// Runs a program with a deadline and collects what it says.

import Glibc
public import MediaCore
import Synchronization

/// What a finished program left behind.
public struct ChildResult: Sendable, CustomStringConvertible {
    /// The exit status; 128 + the signal's number where one ended it.
    public var status: Int32
    /// Standard output.
    public var output: [UInt8]
    /// Standard error.
    public var errors: [UInt8]
    /// Whether the deadline ended it.
    public var timedOut: Bool

    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
    /// Status and standard error.
    public var description: String {
        "status \(status)\(timedOut ? " (timed out)" : ""): \(errorText)"
    }
}

/// A program that runs beside the test.
public final class ChildProcess {
    private let process: pid_t
    private var outputs: [Int32]
    private var input: Int32
    private var status: Int32?

    /// Starts `program` (found in PATH when it has no slash).
    ///
    /// - Parameters:
    ///   - input: bytes for standard input; nil leaves the pipe open for `writeInput`.
    ///   - environment: added to the environment of the test.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        folder: String? = nil
    ) throws(MediaError) {
        let words = (folder.map { ["env", "-C", $0] } ?? []) + [program] + arguments
        // One at a time: what another thread starts meanwhile would hold the pipes' ends open.
        let (process, pipes) = try ChildProcess.starting.withLock { _ throws(MediaError) in
            try ChildProcess.start(words, environment)
        }
        self.process = process
        input = pipes[0][1]
        outputs = [pipes[1][0], pipes[2][0]]
    }

    private static let starting = Mutex(())

    /// Starts a program on three pipes, those of standard input, output and error.
    private static func start(
        _ words: [String], _ environment: [String: String]
    ) throws(MediaError) -> (process: pid_t, pipes: [[Int32]]) {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw .system(errno, "make a pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            pipes.append(ends)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1)
        posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let texts = words.map { $0.withOSPath { strdup($0) } }
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var place = environ
        while let variable = place.pointee {
            let name = String(cString: variable).prefix { $0 != "=" }
            if environment[String(name)] == nil { variables.append(strdup(variable)) }
            place += 1
        }
        variables += environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in texts + variables { free(text) } }
        var process: pid_t = 0
        let failure = posix_spawnp(
            &process, words[0], &actions, &attributes, texts + [nil], variables + [nil])
        close(pipes[0][0])
        close(pipes[1][1])
        close(pipes[2][1])
        guard failure == 0 else {
            close(pipes[0][1])
            close(pipes[1][0])
            close(pipes[2][0])
            throw .system(failure, "start \(words[0])")
        }
        return (process, pipes)
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            _ = wait()
        }
        closeInput()
        for descriptor in outputs where descriptor >= 0 { close(descriptor) }
    }

    /// Sends a signal.
    public func signal(_ number: Int32) { kill(process, number) }

    /// Closes standard input.
    public func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Closes our end of standard output, so that the program meets a broken pipe.
    public func closeOutput() {
        close(outputs[0])
        outputs[0] = -1
    }

    /// Feeds `bytes`, collects both outputs and waits; kills at the deadline, `seconds` on a quiet
    /// machine.
    public func finish(input bytes: [UInt8] = [], seconds: Double = 60) -> ChildResult {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(seconds))
        var collected: [[UInt8]] = [[], []]
        var pending = bytes[...]
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var timedOut = false
        signalIgnorePipe()
        if pending.isEmpty { closeInput() }
        if input >= 0 { _ = fcntl(input, F_SETFL, O_NONBLOCK) }
        while outputs.contains(where: { $0 >= 0 }) {
            var watched = outputs.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            watched.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0))
            let left = (deadline - SystemTimeSource().now).nanoseconds / 1_000_000
            if left <= 0 {
                timedOut = true
                kill(process, SIGKILL)
                break
            }
            poll(&watched, nfds_t(watched.count), Int32(min(left, 1000)))
            for index in 0..<2 where watched[index].revents != 0 {
                let count = read(outputs[index], &buffer, buffer.count)
                if count > 0 {
                    collected[index] += buffer[..<count]
                } else {
                    close(outputs[index])
                    outputs[index] = -1
                }
            }
            if input >= 0, watched[2].revents != 0 {
                let count = pending.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
                if count > 0 { pending = pending.dropFirst(count) }
                if count < 0 || pending.isEmpty { closeInput() }
            }
        }
        return ChildResult(
            status: wait(), output: collected[0], errors: collected[1], timedOut: timedOut)
    }

    private func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(process, &raw, 0) < 0, errno == EINTR {}
        let ended = raw & 0x7F
        let result = ended == 0 ? (raw >> 8) & 0xFF : 128 + ended
        status = result
        return result
    }

    private func signalIgnorePipe() { Glibc.signal(SIGPIPE, SIG_IGN) }
}

/// Runs a program to its end.
public func run(
    _ program: String, _ arguments: [String], input: [UInt8] = [],
    environment: [String: String] = [:], folder: String? = nil, seconds: Double = 60
) throws(MediaError) -> ChildResult {
    try ChildProcess(program, arguments, environment: environment, folder: folder)
        .finish(input: input, seconds: seconds)
}

/// Runs the built `mediakit`.
public func runMediakit(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    folder: String? = nil, seconds: Double = 60
) throws(MediaError) -> ChildResult {
    try run(
        mediakitPath, arguments, input: input, environment: environment, folder: folder,
        seconds: seconds)
}

/// The `mediakit` that was built with the tests.
public let mediakitPath: String = {
    // The test bundle is mapped into this process; the program lies beside it.
    let maps = (try? readFile("/proc/self/maps")) ?? []
    let line = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        .first { $0.hasSuffix("mediakitPackageTests.xctest") }
    guard let path = line?.split(separator: " ").last, let slash = path.lastIndex(of: "/") else {
        return "mediakit"
    }
    return path[...slash] + "mediakit"
}()
