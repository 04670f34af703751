// What the toolkit's parts leave of the program that they run in.

import Glibc
import MediaCore
import Testing

@Suite("Issue 3, library: signals and threads", .timeLimit(.minutes(20)))
struct EmbeddingTests {
    @Test("a pipe without a reader is output-failed, whatever the program does with SIGPIPE")
    func pipes() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { exit(1) }
            close(ends[0])
            let file = SystemFile(owning: ends[1], path: "pipe", isOutput: true)
            for output: any OpenFile in [
                file, PipeFile(file, descriptor: ends[1], CancellationToken()),
            ] {
                do throws(MediaError) {
                    try write([1, 2, 3], to: output)
                    exit(2)
                } catch {
                    guard error.code == .outputFailed else { exit(3) }
                }
            }
            // Neither held off any more nor waiting.
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            var pending = sigset_t()
            sigpending(&pending)
            exit(sigismember(&mask, SIGPIPE) == 0 && sigismember(&pending, SIGPIPE) == 0 ? 0 : 4)
        }
    }

    @Test("a thread that the system has no room for is an error")
    func threads() {
        let error = #expect(throws: MediaError.self) {
            let thread = try WorkerThread(trying: "mk-test", stackSize: 1 << 47, group: nil) {}
            thread.join()
        }
        #expect(error?.code == .internalError)
        #expect(error?.message.hasPrefix("no thread can be made for mk-test: ") == true)
    }

    @Test("who joins behind another one waits for the thread's end too")
    func joins() {
        let isOver = Monitor(false)
        let thread = WorkerThread("mk-test") {
            usleep(300_000)
            isOver.withLock { $0 = true }
        }
        let other = WorkerThread("mk-test") { thread.join() }
        usleep(50_000)
        thread.join()
        #expect(isOver.withLock { $0 })
        other.join()
    }

    @Test("a subscriber that an earlier one cancels is not called")
    func cancelsAnother() {
        let bus = EventBus<Int>()
        let calls = Monitor(0)
        let second = Monitor<EventBus<Int>.Subscription?>(nil)
        let first = bus.subscribe { _ in second.withLock { $0 }?.cancel() }
        let subscription = bus.subscribe { _ in calls.withLock { $0 += 1 } }
        second.withLock { $0 = subscription }
        bus.post(1)
        #expect(calls.withLock { $0 } == 0)
        first.cancel()
    }
}

private func write(_ bytes: [UInt8], to file: any OpenFile) throws(MediaError) {
    let result: Result<Void, MediaError> = bytes.withUnsafeBytes { raw in
        do throws(MediaError) {
            return .success(try file.write(raw))
        } catch {
            return .failure(error)
        }
    }
    try result.get()
}
