// Which threads work for one owner, so that none of them waits for itself.

internal import Glibc

/// The threads that one owner waits for: its first one and those that were started on them.
///
/// Thread-safety: safe.
public final class ThreadGroup: Sendable {
    /// Makes a group without threads.
    public init() {}

    /// The key under which each thread has the group it belongs to.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { raw in
            if let raw { Unmanaged<ThreadGroup>.fromOpaque(raw).release() }
        }
        precondition(status == 0, "no key can be made for the data of threads")
        return key
    }()

    /// The group of the calling thread.
    static var current: ThreadGroup? {
        pthread_getspecific(key).map { Unmanaged<ThreadGroup>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the calling thread belongs to the group.
    public var isCurrent: Bool { ThreadGroup.current === self }

    /// Takes the calling thread in until it ends.
    func enter() {
        pthread_setspecific(ThreadGroup.key, Unmanaged.passRetained(self).toOpaque())
    }
}
