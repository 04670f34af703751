// A value behind a mutex that threads can wait on; the only pthread code beside WorkerThread.

internal import Glibc

/// Guards a value and lets threads wait until it meets a condition.
///
/// Thread-safety: safe. Never hold two monitors at once, never call foreign code inside `withLock`.
public final class Monitor<Value>: @unchecked Sendable {
    // Unchecked: `value` is touched only while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    /// Takes the first value.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the value; wakes every waiter afterwards when `body` may have changed it.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Waits as the other `wait` does, but wakes other waiters only where `body` says so.
    ///
    /// For queues: waking a waiter that must wait on costs two switches of threads.
    func wait<Result>(
        until deadline: MediaTime? = nil,
        wakingOthers body: (inout Value, _ wakes: inout Bool) -> sending Result?
    ) -> sending Result? {
        var wakes = false
        pthread_mutex_lock(mutex)
        defer {
            if wakes { pthread_cond_broadcast(condition) }
            pthread_mutex_unlock(mutex)
        }
        return waitLocked(until: deadline) { value in body(&value, &wakes) }
    }

    /// Waits until `body` gives a result, or until `deadline` on the monotonic clock (nil: for
    /// ever); gives nil at the deadline.
    public func wait<Result>(
        until deadline: MediaTime? = nil, _ body: (inout Value) -> sending Result?
    ) -> sending Result? {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return waitLocked(until: deadline, body)
    }

    private func waitLocked<Result>(
        until deadline: MediaTime?, _ body: (inout Value) -> sending Result?
    ) -> sending Result? {
        while true {
            if let result = body(&value) { return result }
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            // Nothing is before the clock's start, where the system takes no deadline at all.
            let moment = max(.zero, deadline).nanoseconds
            var spec = timespec(
                tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
            if pthread_cond_timedwait(condition, mutex, &spec) != 0 { return body(&value) }
        }
    }
}
